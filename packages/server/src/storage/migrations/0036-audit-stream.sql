-- How far each audit log was delivered to the audit stream of the installation (decision 65). A lease moves next_attempt_at_ms.
create table audit_stream (
  org_id text primary key,
  position bigint not null, -- the last entry that the receiver has accepted
  checkpoint bigint not null, -- the last entry whose checkpoint it has accepted
  since_ms bigint not null, -- since when the log is delivered; what is older is counted as written then
  next_attempt_at_ms bigint not null,
  attempts bigint not null, -- deliveries that failed, one after the other
  failing_since_ms bigint,
  failure text
);

-- The end of a service token that the audit log has announced; null if none.
alter table service_tokens add column announced_end_ms bigint;
