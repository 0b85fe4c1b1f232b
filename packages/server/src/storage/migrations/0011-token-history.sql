-- Whether a service token reads the history and restores: 0 or 1. Tokens from before there was a choice go on to do so.
alter table service_tokens add column history bigint not null default 1;
