-- The group of the identity provider whose people are the members; null: its members are kept here.
alter table user_groups add column idp_group text;
create unique index user_groups_idp on user_groups (org_id, idp_group);

-- As of when the provider's report of a person's groups was applied, so that an older one is not.
create table group_reports (
  org_id text not null references organizations (id),
  member text not null, -- user:ID
  as_of_ms bigint not null,
  primary key (org_id, member)
);
