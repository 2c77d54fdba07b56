-- How much the files of an account occupy is counted from the rows that refer to them.

-- of the file as it was sent; null in validations of earlier releases
alter table e911_validation add column given_bytes bigint;

create index e911_validation_stored on e911_validation (account_id) where expired_at is null;
create index cdr_export_stored on cdr_export (account_id) include (bytes) where sha256 is not null and file_removed_at is null;
create index port_order_document_stored on port_order_document (account_id) include (bytes) where sha256 is not null;
