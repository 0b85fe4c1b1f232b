-- Outbound billing: docs/decisions/0009-billing-outbox.md.

-- Units of `used` that are in usage reports. The outbox has not reported the rest.
alter table meters add column reported bigint not null default 0;

-- One row, with the time at which billing began. Earlier usage is not billed.
create table billing_start (
  id bigint primary key, -- 1
  at_ms bigint not null
);

-- The organization's id at the billing system.
create table billing_customers (
  org_id text primary key references organizations (id),
  customer text not null,
  updated_at_ms bigint not null
);

-- Units of one organization and month that are reported to the billing system together, always under the same id.
create table usage_reports (
  id text primary key, -- <org_id>.<period>.<from>-<to>, of the meter's count
  org_id text not null references organizations (id),
  period text not null,
  units bigint not null,
  at_ms bigint not null, -- when they were used, at the latest; within the month
  customer text,
  state text not null, -- pending, delivered, refused, unclear, settled
  attempts bigint not null,
  next_attempt_at_ms bigint not null, -- of one that is being sent: when it will be sent again
  first_sent_at_ms bigint, -- the first attempt that the receiver may have got
  failure text, -- of the last attempt
  done_at_ms bigint -- when it was delivered or settled
);
create index usage_reports_due on usage_reports (next_attempt_at_ms) where done_at_ms is null;
create index usage_reports_open on usage_reports (org_id, period) where done_at_ms is null;
create index usage_reports_by_end on usage_reports (done_at_ms) where done_at_ms is not null;
