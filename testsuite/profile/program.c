/* Functions at known lines, for samples that profile.t makes. */

volatile int sink;

__attribute__((noinline)) int leaf(int n)
{
  for (int i = 0; i < n; i++)
    sink += i;                                          /* LEAF */
  return sink;
}

static inline __attribute__((always_inline)) int inlined(int n)
{
  return leaf(n) + 1;                                   /* INLINED */
}

__attribute__((noinline)) int middle(int n)
{
  return inlined(n) * 2;                                /* MIDDLE */
}

static inline __attribute__((always_inline)) int inner(int n)
{
  return leaf(n) + 2;                                   /* INNER */
}

static inline __attribute__((always_inline)) int between(int n)
{
  return inner(n) * 3;                                  /* BETWEEN */
}

__attribute__((noinline)) int nested(int n)
{
  return between(n) + 3;                                /* NESTED */
}

__attribute__((noinline)) int other(int n)
{
  return leaf(n) - 1;                                   /* OTHER */
}

int main(int argc, char **argv)
{
  (void) argv;
  return middle(argc)                                   /* MAIN */
    + other(argc) + nested(argc);
}
