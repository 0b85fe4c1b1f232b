-- Decisions that programs made by themselves and reported. `a` and `b` of rolls include them, `evaluations` do not: they are not billed.
alter table roll_counts add column reported_a bigint not null default 0;
alter table roll_counts add column reported_b bigint not null default 0;
alter table roll_days add column reported_a bigint not null default 0;
alter table roll_days add column reported_b bigint not null default 0;
alter table usage_days add column reported bigint not null default 0;
