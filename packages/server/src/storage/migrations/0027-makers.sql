-- Who else can act as a service token or a trust than its creator, and so is an author of what it proposes: docs/change.md.

alter table access_tokens add column made_by text; -- who rotated a service token to this secret; null: its creator

create table trust_makers (
  trust_id text not null references trusts (id) on delete cascade,
  user_id text not null, -- who changed its keys, issuer, audience or claims
  primary key (trust_id, user_id)
);

-- Who did this before, by the entries of the audit log that have details. Their subjects begin with an id of 24 characters, after trust: for
-- a trust. Of trusts, all changes count.
update access_tokens set made_by = rotations.actor
from (select a.actor, latest.token_id
  from audit a join (select org_id, substr(subject, 1, 24) as token_id, max(seq) as seq from audit
      where action = 'token.rotate' and how <> '' group by org_id, substr(subject, 1, 24)) latest
    on latest.org_id = a.org_id and latest.seq = a.seq) rotations
where rotations.token_id = access_tokens.session_id;

insert into trust_makers (trust_id, user_id)
select distinct t.id, a.actor from audit a join trusts t on t.id = substr(a.subject, 7, 24)
where a.action = 'trust.update' and a.how <> '';

alter table changes add column approved_by text; -- JSON: who had approved a ramp when it started; null: it has not
