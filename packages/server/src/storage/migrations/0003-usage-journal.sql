-- Files of the usage journal (docs/decisions/0010-usage-journal.md) whose events are in the tables already.
create table usage_journals (
  number bigint primary key
);
