# Read by tests of known numbers: writes the file script, for make_ring script.
#
# Ten seconds with a collection each 10 ms, in which domain 0 stops for 1 ms and
# domain 1 for 500 us; in the end, a call of Gc that has a finaliser run.
awk 'BEGIN {
  CONVFMT = OFMT = "%.0f"
  for (i = 0; i < 1000; i++) {
    t = i * 1e7
    print 0, t + 1000, "begin minor"
    print 0, t + 1001000, "end minor 1000 250000 minor_heap_full 0"
    print 1, t + 1000, "begin minor"
    print 1, t + 501000, "end minor 0 125000 minor_heap_full 0"
    print 0, t + 1001000, "instant stop_the_world 1000000 0 " \
      "minor_collection minor_heap_full 0 0 0 1 0 500000"
    print 0, t + 2000000, "begin my.span"
    print 0, t + 5000000, "end my.span"
  }
  print 0, 9995000000, "begin explicit_gc_full_major"
  print 0, 9995000000, "begin major_finish_cycle"
  print 0, 9999000000, "end major_finish_cycle gc_full_major 0"
  print 0, 9999000000, "instant stop_the_world 4000000 0 major_cycle " \
    "gc_full_major 0 0 0"
  print 0, 9999100000, "end explicit_gc_full_major"
  print 0, 9999500000, "instant heap 4194304 1048576 0 0 1 0 0 0 1 0"
  print 0, 9999700000, "instant process_memory 1048576 524288"
  print 0, 10000000000, "instant ring_stop 0"
}' >lines
{ echo "0 0 instant ring_start 1"; echo "0 0 instant domain_start 0 0 0"
  echo "1 1 instant domain_start 1 0 1"; cat lines; } |
  sort -s -k 1,1n -k 2,2n >script
