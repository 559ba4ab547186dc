#include <caml/mlvalues.h>

value loop_spin(value unit)
{
  for (volatile int i = 0; ; i++) { }
  return unit;
}
