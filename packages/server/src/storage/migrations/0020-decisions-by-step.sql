-- Rolls with pins and targeting rules (docs/rolls.md). Their pins are sealed before their values in variables.sealed, so that an
-- earlier version, which would ignore them, cannot open such a roll.

-- How many of a and b a pin decided, and how many a targeting rule. The chance decided the others.
alter table roll_counts add column pin_a bigint not null default 0;
alter table roll_counts add column pin_b bigint not null default 0;
alter table roll_counts add column rule_a bigint not null default 0;
alter table roll_counts add column rule_b bigint not null default 0;
alter table roll_days add column pin_a bigint not null default 0;
alter table roll_days add column pin_b bigint not null default 0;
alter table roll_days add column rule_a bigint not null default 0;
alter table roll_days add column rule_b bigint not null default 0;
