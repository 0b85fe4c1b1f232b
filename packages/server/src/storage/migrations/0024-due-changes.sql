-- Changes that are applied at their times, and ramps: docs/change.md.

alter table changes add column due_at_ms bigint; -- when the service looks at it next; null: at apply_at_ms
alter table changes add column leased_until_ms bigint not null default 0; -- until then one node works on it
alter table changes add column steps_done bigint not null default 0; -- steps of its ramp that are written or skipped
alter table changes add column delay_days bigint not null default 0; -- days by which pauses have moved its ramp

create index changes_due on changes (coalesce(due_at_ms, apply_at_ms)) where state in ('open', 'running');
