-- Numbers by their last seven digits, as people say them where the area code is understood.
create index number_local on number (account_id, (value % 10000000));
