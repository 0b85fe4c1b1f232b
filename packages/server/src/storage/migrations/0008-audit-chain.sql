-- The hash chain of each organization's audit log (decision 20). Entries from before it have none.
alter table audit add column salt text; -- keeps what was deleted from being guessed from its digest
alter table audit add column content_digest text; -- of the salt and all but seq, at_ms and action
alter table audit add column chain text; -- of this entry and all before it
alter table audit_heads add column chain text not null default ''; -- of the last entry
alter table audit_heads add column chained_from bigint not null default 0; -- the last entry before the chain began
update audit_heads set chained_from = seq;
-- Entries that still have details, which are deleted after their retention period.
create index audit_with_content on audit (action, at_ms) where how <> '';

-- Signed ends of the chain, so that no one without the key can rewrite the log.
create table audit_checkpoints (
  org_id text not null references organizations (id),
  seq bigint not null,
  chained_from bigint not null,
  at_ms bigint not null,
  chain text not null,
  signature text not null, -- Ed25519, base64url
  primary key (org_id, seq)
);
create index audit_checkpoints_by_time on audit_checkpoints (at_ms);
