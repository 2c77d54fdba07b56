-- The latest arrival of call records, in microseconds since 1970.

create sequence cdr_arrival;
