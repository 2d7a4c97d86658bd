#!/usr/bin/env perl
# tests/mutants/plant.pl: plants the mutants of mutants.txt into a copy of the sources: each is chosen by MOTTLE_MUTANT=NAME when a program runs
# usage: plant.pl mutants.txt SOURCES [--check]   (SOURCES holds src/mottle; --check changes nothing); prints NAME TEST_PROGRAM FILTER, a line each
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

my ($table, $root, $check) = @ARGV;
open my $in, '<', $table or die "cannot read $table\n";
my (@mutants, @lines);
while (my $line = <$in>) {
    next if $line =~ /^#/ || $line =~ /^\s*$/;
    $line =~ s/\s+$//;
    if ($line =~ /^(\S+) (\S+)$/) {
        push @mutants, {name => $1, file => $2, rest => []};
    } else {
        $line =~ s/^\s+//;
        push @{$mutants[-1]{rest}}, $line;
    }
}
my (%text, $faults);
for my $mutant (@mutants) {
    my ($was, $wrong, $tests) = @{$mutant->{rest}};
    my $path = "$root/src/mottle/$mutant->{file}";
    if (!exists $text{$path}) {
        open my $file, '<', $path or die "$mutant->{name}: cannot read $path\n";
        local $/;
        $text{$path} = <$file>;
    }
    my ($before, $right, $after) = $was =~ /^(.*)«(.*)»(.*)$/ or die "$mutant->{name}: no part between « and »\n";
    # lines may be broken anywhere, and a part that an earlier mutant has taken is found inside of it
    my @found;
    my $loose = sub { join '\s*', map { quotemeta } $_[0] =~ /\S+/g };
    my ($head, $body, $tail) = map { $loose->($_) } $before, $right, $after;
    push @found, [$-[1], $+[1]] while $text{$path} =~ /$head\s*($body)\s*$tail/g;
    if (@found != 1) {
        print STDERR "$mutant->{name}: its line is found ", scalar @found, " times in $mutant->{file}\n";
        ++$faults;
        next;
    }
    my ($first, $end) = @{$found[0]};
    my $found = substr $text{$path}, $first, $end - $first;
    my $planted = "(::mottle_mutant(\"$mutant->{name}\") ? ($wrong) : ($found))";
    if (!$check) { push @{$mutant->{edit}}, $path, $first, $end, $planted; }
    print "$mutant->{name} $tests\n";
}
exit 1 if $faults;
exit 0 if $check;
my %edits;
for my $mutant (@mutants) {
    my ($path, @edit) = @{$mutant->{edit}};
    push @{$edits{$path}}, \@edit;
}
for my $path (keys %edits) {
    for my $edit (sort { $b->[0] <=> $a->[0] } @{$edits{$path}}) { substr($text{$path}, $edit->[0], $edit->[1] - $edit->[0]) = $edit->[2]; }
    open my $out, '>', $path or die "cannot write $path\n";
    print $out <<'HEADER', $text{$path};
#ifndef MOTTLE_MUTANT
#define MOTTLE_MUTANT
#include <cstdlib>
#include <string_view>
inline bool mottle_mutant(const char* name) {
    static const char* const chosen = std::getenv("MOTTLE_MUTANT");
    return chosen != nullptr && std::string_view(chosen) == name;
}
#endif
HEADER
}
