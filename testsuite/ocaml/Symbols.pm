# The functions of a program that has the addresses of its file, by its symbols.
package Symbols;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT = qw(read_symbols symbol_at);

my (@address, @symbol);

# Reads the symbols of PROGRAM.
sub read_symbols {
  my ($program) = @_;
  open my $nm, '-|', 'nm', $program or die "nm: $!";
  for (sort { $a->[0] <=> $b->[0] }
       map { /^([0-9a-f]+) . (.*)$/ ? [hex $1, $2] : () } <$nm>) {
    push @address, $_->[0];
    push @symbol, $_->[1];
  }
}

# Returns the last symbol that is not above ADDRESS.
sub symbol_at {
  my ($address) = @_;
  my ($low, $above) = (0, scalar @address);
  while ($above - $low > 1) {
    my $middle = int(($low + $above) / 2);
    if ($address[$middle] <= $address) { $low = $middle } else { $above = $middle }
  }
  return $symbol[$low];
}

1;
