// Pools of the major heap taken from the system and given back.
// file runtime/shared_heap.c

// adds caml_eventring_pool_mapped
@mapped@
identifier mem;
@@
  void *mem = caml_mem_map(Bsize_wsize(POOL_WSIZE), 0);
+ caml_eventring_pool_mapped(mem);

// adds caml_eventring_pool_unmapped 2
@unmapped@
expression pool;
@@
+ caml_eventring_pool_unmapped();
  caml_mem_unmap(pool, Bsize_wsize(POOL_WSIZE));

// adds Caml_eventring_allocated(malloc
@large@
expression size;
@@
- malloc(size)
+ Caml_eventring_allocated(malloc(size))
