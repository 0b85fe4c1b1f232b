-- Password attempts since the last correct one. An account is a keyed hash of an email address (with or without an account), of
-- a browser that signed in before, or of a person who is signed in.
create table password_tries (
  account text primary key,
  tries bigint not null,
  open_at_ms bigint not null, -- no try before this time
  tried_at_ms bigint not null
);
create index password_tries_by_time on password_tries (tried_at_ms);
