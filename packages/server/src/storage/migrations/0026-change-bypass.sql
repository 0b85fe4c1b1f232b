-- Why someone applied a change without the required approvals or in a freeze; null: no one did.
alter table changes add column bypass text;
