-- House numbers that are more than digits, which were stored without prefix, letter, fraction and hyphen.

-- whole numbers (12B, 12 1/2, 87-15), and ranges of one prefix (N6W23001|N6W23099|1); null where the street has none
alter table e911_street add column others text[];

-- false where a dataset was loaded before: its numbers lack what follows or precedes the digits, until it is loaded anew
alter table e911_dataset add column whole_numbers boolean not null default true;
update e911_dataset set whole_numbers = false;

-- 87-15 and 8715 are two numbers now
update e911_address set
  typed_key = regexp_replace(street_number, '-0+(?=\d)', '-') || substring(typed_key from position('|' in typed_key)),
  canonical_key = regexp_replace(street_number, '-0+(?=\d)', '-') || substring(canonical_key from position('|' in canonical_key))
where street_number ~ '^\d+-\d';

-- leading zeros of ordinals do not count: 09TH ST is 9TH ST
update e911_street set key = regexp_replace(key, '(^| )0+(\d+(ST|ND|RD|TH)\M)', '\1\2', 'g') where key ~ '(^| )0\d*(ST|ND|RD|TH)\M';
