use LWP::UserAgent;

my $agent = LWP::UserAgent->new;
print $agent->get($_)->code, "\n" for @ARGV;
