-- Mail (decision 64). A row is written when there is something to tell; a node sends it, and erases the secret link in it.
create table mails (
  id text primary key,
  kind text not null,
  org_id text, -- null: about an account
  recipient text not null, -- user:ID or email:ADDRESS
  thing text not null, -- what it is about, once for each recipient while it waits
  content text not null, -- JSON, without secrets
  link bytea, -- sealed; null once it is sent or of no use
  created_at_ms bigint not null,
  expires_at_ms bigint not null, -- when it is of no use anymore
  message text, -- id of the message that it was first tried in; several rows may be one message
  next_attempt_at_ms bigint not null, -- when it may be sent; a lease moves it
  attempts bigint not null,
  failure text,
  ended_at_ms bigint,
  outcome text -- sent, dropped or set aside
);
create unique index mails_waiting on mails (recipient, kind, thing) where message is null and ended_at_ms is null;
create index mails_due on mails (next_attempt_at_ms) where ended_at_ms is null;
create index mails_ended on mails (ended_at_ms) where ended_at_ms is not null;
create index mails_of_thing on mails (kind, thing);
create index mails_of_recipient on mails (recipient, kind);

-- Up to where the audit log of each organization was read for mail.
create table mail_positions (
  org_id text primary key,
  position bigint not null
);

-- The mails that people do not want, JSON.
create table mail_preferences (
  user_id text primary key,
  off text not null
);
