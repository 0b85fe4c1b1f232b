-- Organizations that only a sign-in at a company opens, and the owners who are excepted: docs/sign-in/company-only.md.
alter table organizations add column company_sign_in bigint not null default 0; -- 0 or 1
create table break_glass (
  org_id text not null references organizations (id),
  user_id text not null, -- the id at the embedded identity provider
  primary key (org_id, user_id)
);
