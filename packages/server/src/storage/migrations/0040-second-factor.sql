-- Organizations that only a sign-in with a second factor opens: docs/sign-in/second-factor.md.
alter table organizations add column second_factor bigint not null default 0; -- 0 or 1
