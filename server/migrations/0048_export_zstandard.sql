-- Call-record exports compressed with Zstandard.

alter table cdr_export
  drop constraint cdr_export_format_check,
  add constraint cdr_export_format check (format in ('csv', 'csv.zst', 'ndjson', 'parquet'));
