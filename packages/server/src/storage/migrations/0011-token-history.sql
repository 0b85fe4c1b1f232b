-- Whether a service token may read the history and restore: 0 or 1. Tokens from before this column keep that right.
alter table service_tokens add column history bigint not null default 1;
