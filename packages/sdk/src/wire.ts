/** The wire contract, generated from packages/contract by `npm run generate`. Do not edit. */

import type {
  ChangeState,
  Constraint,
  Context,
  Declaration,
  DeclarationProblem,
  DeclarationsDocument,
  DeclaredType,
  Exposure,
  FreezeWindow,
  Kind,
  MachineRole,
  Pins,
  RampStep,
  Required,
  TargetingRule,
  Verb,
} from '@rollkey/contract/rules'

/** Who could do something with a stage, and what gave it. */
export interface AccessHolder {
  /** A person, a group, a service token or a trust. */
  readonly principal: NamedPrincipal
  /** Group that had the grant; absent: the principal itself. */
  readonly via?: string | undefined
  /** Slug of the project; absent: the whole organization. */
  readonly projectSlug?: string | undefined
  /** Slug of the stage; absent: the whole project. */
  readonly stageSlug?: string | undefined
  /** Role that gave the verb. */
  readonly role: string
}

/** What gives verbs at a place. */
export interface AccessSource {
  /** default: the role of every member; owner, admin: the role of the member; token: the role of the service token; trust: the role of the trust; grant: a grant. */
  readonly from: 'default' | 'owner' | 'admin' | 'token' | 'trust' | 'grant'
  /** Who has the grant: the principal or one of its groups; absent: no grant. */
  readonly principal?: NamedPrincipal | undefined
  /** Slug of the project; absent: the whole organization. */
  readonly projectSlug?: string | undefined
  /** Slug of the stage; absent: the whole project. */
  readonly stageSlug?: string | undefined
  /** Role that gives the verbs; absent for owner and admin. */
  readonly role?: string | undefined
  /** Verbs that it gives at the place; may be none, if the stage is protected. */
  readonly verbs: readonly Verb[]
  /** When the grant ends, Unix time in milliseconds; absent: never. */
  readonly expiresAtMs?: number | undefined
}

/** Approvals and rejections of a change. */
export interface Approvals {
  /** Number of approvals that the stage requires. */
  readonly required: number
  /** Ids of the people whose approvals count now. */
  readonly approvers: readonly string[]
  /** Ids of the people whose rejections count now. */
  readonly rejectors: readonly string[]
  /** Whether the approvals suffice and no one has rejected it. */
  readonly isApproved: boolean
}

/** Action of the audit log. */
export type AuditAction =
  | 'variable.create'
  | 'variable.update'
  | 'variable.delete'
  | 'variable.expose'
  | 'write'
  | 'chance'
  | 'copy'
  | 'restore'
  | 'change.propose'
  | 'change.edit'
  | 'change.reschedule'
  | 'change.approve'
  | 'change.reject'
  | 'change.apply'
  | 'change.step'
  | 'change.skip'
  | 'change.pause'
  | 'change.resume'
  | 'change.abort'
  | 'change.fail'
  | 'change.withdraw'
  | 'reveal'
  | 'token.create'
  | 'token.rotate'
  | 'token.revoke'
  | 'token.expiring'
  | 'secret.due'
  | 'roll.misfit'
  | 'trust.create'
  | 'trust.update'
  | 'trust.delete'
  | 'trust.exchange'
  | 'client-key.create'
  | 'client-key.revoke'
  | 'hook.create'
  | 'hook.update'
  | 'hook.rotate'
  | 'hook.off'
  | 'hook.delete'
  | 'device.approve'
  | 'device.deny'
  | 'device.exchange'
  | 'session.refresh'
  | 'session.confirm'
  | 'session.revoke'
  | 'logout'
  | 'setup'
  | 'project.create'
  | 'project.update'
  | 'project.delete'
  | 'stage.create'
  | 'stage.update'
  | 'declaration.set'
  | 'declaration.delete'
  | 'stage.order'
  | 'stage.protect'
  | 'stage.rules'
  | 'stage.delete'
  | 'organization.create'
  | 'organization.update'
  | 'organization.delete'
  | 'export'
  | 'access.grant'
  | 'access.revoke'
  | 'group.create'
  | 'group.update'
  | 'group.delete'
  | 'group.join'
  | 'group.leave'
  | 'role.set'
  | 'role.delete'
  | 'member.add'
  | 'member.role'
  | 'member.remove'
  | 'invitation.create'
  | 'invitation.accept'
  | 'invitation.reject'
  | 'invitation.cancel'
  | 'sign-in'
  | 'sign-in.failed'
  | 'sign-out'
  | 'email.change'
  | 'password.change'
  | 'password.reset'
  | 'password.link'
  | 'passkey.add'
  | 'passkey.remove'
  | 'second-factor.add'
  | 'second-factor.codes'
  | 'second-factor.remove'
  | 'sign-in-method.add'
  | 'sign-in-method.remove'
  | 'signing-keys.revoke'
  | 'refusal'
  | 'key.rotate'
  | 'key.rewrap'
  | 'backup.restore'

/** An entry of the audit log. */
export interface AuditEntry {
  /** Number of the entry within the organization: 1, 2, 3 … without gaps. */
  readonly seq: number
  /** Unix time in milliseconds. */
  readonly atMs: number
  /** What was done. */
  readonly action: AuditAction
  /** Id of the user at the identity provider (for system: the user whose session or account it was), id of the service token, the client key or the trust, or operator. Absent, like all fields that follow, if the details were deleted after their retention period. */
  readonly actor?: string | undefined
  /** Kind of credential; service: a service token or a token of a trust; system: the service acted by itself; absent if the details were deleted. */
  readonly how?: 'provider' | 'session' | 'service' | 'operator' | 'system' | undefined
  /** Client as a text for people, such as: cli session laptop; for system: the reason; absent if the details were deleted. */
  readonly client?: string | undefined
  /** Project of the action; absent if it has none. */
  readonly projectSlug?: string | undefined
  /** Stage of the action; absent if it has none. */
  readonly stageSlug?: string | undefined
  /** Names of the variables; absent if there are none, or more than 100. */
  readonly names?: readonly string[] | undefined
  /** Number of variables; for a refusal or failed sign-in: number of occurrences since the last entry; absent otherwise. */
  readonly nameCount?: number | undefined
  /** Revision of the stage that the action made or showed; absent if there is none. */
  readonly revision?: number | undefined
  /** What it says about the action; absent: nothing, or an entry of an older version. */
  readonly facts?: AuditFacts | undefined
  /** What an entry of an older version says about the action, as a text; absent otherwise. */
  readonly subject?: string | undefined
  /** Id of the request; absent if there was none. */
  readonly requestId?: string | undefined
}

/** What an entry says about its action; each action has only some of these. */
export interface AuditFacts {
  /** What of the variables it is about, such as rules and pins; absent: the values. */
  readonly parts?: readonly string[] | undefined
  /** What it was before; absent: new, or not known. */
  readonly before?: AuditState | undefined
  /** What it is now; absent: deleted, or not known. */
  readonly after?: AuditState | undefined
  /** Revision whose state is back; absent: no fact of the action. */
  readonly restoredRevision?: number | undefined
  /** ; absent: no fact of the action. */
  readonly changeId?: string | undefined
  /** It has a time and needs no approval; absent: no. */
  readonly isPlanned?: true | undefined
  /** It was only based on the present state; absent: no. */
  readonly isRebase?: true | undefined
  /** Id of the user at the identity provider, of the service token or of the trust; absent: no fact of the action. */
  readonly proposedBy?: string | undefined
  /** Ids of the people who approved it; absent: no fact of the action. */
  readonly approvedBy?: readonly string[] | undefined
  /** Why it was applied without the approvals or in a freeze; absent: it was not. */
  readonly bypassReason?: string | undefined
  /** Number of the step of the ramp, from 1; absent: no fact of the action. */
  readonly step?: number | undefined
  /** Number of all its steps; absent: no fact of the action. */
  readonly steps?: number | undefined
  /** Id of the service token; absent: no fact of the action. */
  readonly tokenId?: string | undefined
  /** Name of the service token, client key, trust, webhook or group; absent: no fact of the action. */
  readonly name?: string | undefined
  /** When the token ends, Unix time in milliseconds; absent: no fact of the action. */
  readonly expiresAtMs?: number | undefined
  /** Since when the variable is due for another value, Unix time in milliseconds; absent: no fact of the action. */
  readonly dueAtMs?: number | undefined
  /** Person or group that is responsible; absent: the declaration names none. */
  readonly owner?: string | undefined
  /** Probability of value A, from 0 to 1; absent: no fact of the action. */
  readonly chance?: number | undefined
  /** Since when the roll has its chance, Unix time in milliseconds; absent: no fact of the action. */
  readonly chanceSinceMs?: number | undefined
  /** How many times chance gave value A since then; absent: no fact of the action. */
  readonly servedA?: number | undefined
  /** How many times chance gave value B since then; absent: no fact of the action. */
  readonly servedB?: number | undefined
  /** Id of the trust; absent: no fact of the action. */
  readonly trustId?: string | undefined
  /** Id of the session; absent: no fact of the action. */
  readonly sessionId?: string | undefined
  /** Claims of the token that identify the workload, shortened; absent: no fact of the action. */
  readonly evidence?: readonly Claim[] | undefined
  /** Id of the client key; absent: no fact of the action. */
  readonly keyId?: string | undefined
  /** Origins whose pages may use it; *: all; absent: no fact of the action. */
  readonly origins?: readonly string[] | undefined
  /** Id of the webhook; absent: no fact of the action. */
  readonly hookId?: string | undefined
  /** Where it sends: scheme, host and port; absent: no fact of the action. */
  readonly target?: string | undefined
  /** Id of the login of a command-line client; absent: no fact of the action. */
  readonly loginId?: string | undefined
  /** Id of the user at the identity provider; absent: no fact of the action. */
  readonly userId?: string | undefined
  /** Id of the organization at the identity provider; absent: no fact of the action. */
  readonly idpOrgId?: string | undefined
  /** A person, a group, a service token or a trust; absent: no fact of the action. */
  readonly principal?: Principal | undefined
  /** Id of the group; absent: no fact of the action. */
  readonly groupId?: string | undefined
  /** Name of the role; absent: no fact of the action. */
  readonly role?: string | undefined
  /** Email of the person who is invited; absent: no fact of the action. */
  readonly email?: string | undefined
  /** How the person signs in or tried to, such as password; absent: no fact of the action. */
  readonly method?: string | undefined
  /** Id of the passkey; absent: no fact of the action. */
  readonly passkeyId?: string | undefined
  /** Name of the endpoint; absent: no fact of the action. */
  readonly endpoint?: string | undefined
  /** Code of the error; absent: no fact of the action. */
  readonly code?: string | undefined
  /** Name of the service that wraps the data keys; absent: no fact of the action. */
  readonly keyProvider?: string | undefined
  /** When the backup was made, Unix time in milliseconds; absent: no fact of the action. */
  readonly madeAtMs?: number | undefined
}

/** What an action changed, before or after it. */
export interface AuditState {
  /** Probability of value A, from 0 to 1; absent: unchanged. */
  readonly chance?: number | undefined
  /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; absent: unchanged. */
  readonly exposure?: Exposure | undefined
  /** Name for people; absent: unchanged. */
  readonly name?: string | undefined
  /** Email address with which the person signs in; absent: unchanged. */
  readonly email?: string | undefined
  /** Whether the project or stage is in the archive; absent: unchanged. */
  readonly isArchived?: boolean | undefined
  /** Whether the stage is marked as production; absent: unchanged. */
  readonly isProduction?: boolean | undefined
  /** Whether the stage is protected; absent: unchanged. */
  readonly isProtected?: boolean | undefined
  /** What a protected stage requires of changes; absent: unchanged. */
  readonly protection?: Protection | undefined
  /** Slugs of the stages in their order; absent: unchanged. */
  readonly stageSlugs?: readonly string[] | undefined
  /** Whether a write creates the project and the stage that it names; absent: unchanged. */
  readonly createsOnWrite?: boolean | undefined
  /** What every member may do in the whole organization; absent: unchanged. */
  readonly defaultRole?: 'developer' | 'viewer' | 'none' | undefined
  /** Whether only a sign-in at a company opens the organization; absent: unchanged. */
  readonly isCompanyOnly?: boolean | undefined
  /** Ids of the people who can sign in otherwise; absent: unchanged. */
  readonly breakGlass?: readonly string[] | undefined
  /** Whether only a sign-in with a second factor opens the organization; absent: unchanged. */
  readonly needsSecondFactor?: boolean | undefined
  /** Name of the role; absent: unchanged. */
  readonly role?: string | undefined
  /** When the role ends, Unix time in milliseconds; absent: never. */
  readonly expiresAtMs?: number | undefined
  /** What is allowed: list, read, write, approve, manage, in this order; absent: unchanged. */
  readonly verbs?: readonly Verb[] | undefined
  /** Issuer of the tokens, exactly as their claim iss; absent: unchanged. */
  readonly issuer?: string | undefined
  /** Audience that the tokens must name; absent: unchanged. */
  readonly audience?: string | undefined
  /** First 16 hexadecimal digits of the SHA-256 of pasted keys; fetched: those of the issuer; absent: unchanged. */
  readonly keys?: string | undefined
  /** Claims that a token must have; absent: unchanged. */
  readonly claims?: readonly Claim[] | undefined
  /** Whether runs for proposed changes get tokens; absent: unchanged. */
  readonly forks?: boolean | undefined
  /** Whether it may read the history; absent: unchanged. */
  readonly history?: boolean | undefined
  /** Lifetime of the access tokens, in seconds; absent: unchanged. */
  readonly lifetimeSeconds?: number | undefined
}

/** Billing events of a caller in a stage. */
export interface CallerUsage {
  /** Id of the user or the service token; absent for the last counts of an older version. */
  readonly caller?: string | undefined
  /** Kind of credential; absent with caller. */
  readonly how?: 'provider' | 'session' | 'service' | undefined
  /** Slug of the project; absent for pulls of a stage that did not exist. */
  readonly projectSlug?: string | undefined
  /** Slug of the stage; absent for pulls of a stage that did not exist. */
  readonly stageSlug?: string | undefined
  /** Number of billing events. */
  readonly evaluations: number
}

/** A change of a stage with what it does and its reviews. */
export interface Change {
  /** Id of the change. */
  readonly id: string
  /** Slug of the project. */
  readonly projectSlug: string
  /** Slug of the stage, an environment of the project. */
  readonly stageSlug: string
  /** State of the change. */
  readonly state: ChangeState
  /** Why it is proposed. */
  readonly reason: string
  /** Id of the user, the service token or the trust that proposed it. */
  readonly proposedBy: string
  /** Client as a text for people, such as: cli session laptop. */
  readonly proposedWith: string
  /** When it was proposed, Unix time in milliseconds. */
  readonly proposedAtMs: number
  /** When it was last moved, edited or reviewed, Unix time in milliseconds. */
  readonly updatedAtMs: number
  /** Variables that it touches, at most 100, ordered by name. */
  readonly names: readonly string[]
  /** Number of all variables that it touches. */
  readonly nameCount: number
  /** When it is applied by itself, Unix time in milliseconds; absent: when someone applies it. */
  readonly applyAtMs?: number | undefined
  /** Steps of its ramp; those that a pause has missed are moved by whole days; absent: it is not a ramp. */
  readonly steps?: readonly RampStep[] | undefined
  /** Number of its steps that are written or skipped; absent: it is not a ramp. */
  readonly stepsDone?: number | undefined
  /** What happens before a step if chance alone does not explain which values were served since the last one; absent: the step is written. */
  readonly guard?: RampGuard | undefined
  /** Days of the week on which no step falls after a pause; absent: none. */
  readonly notOn?: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[] | undefined
  /** When the service applies it or its next step, at the end of a freeze if there is one, Unix time in milliseconds; absent: not by itself. */
  readonly dueAtMs?: number | undefined
  /** Named time zone in which people planned the times, such as Europe/Berlin; absent: none. */
  readonly zone?: string | undefined
  /** Approvals and rejections of a change. */
  readonly approvals: Approvals
  /** Whether it still needs a review that the caller can give. */
  readonly needsYou: boolean
  /** Latest revision that changed one of its variables after the one that the change is based on, so that it cannot be applied; absent: none. */
  readonly conflictAt?: number | undefined
  /** When it was settled, Unix time in milliseconds; absent: not yet. */
  readonly settledAtMs?: number | undefined
  /** Id of the user or machine that settled it; absent: not settled, or the service. */
  readonly settledBy?: string | undefined
  /** Revision that it made; absent: none. */
  readonly appliedRevision?: number | undefined
  /** Why it could not be applied at its time; absent: it could. */
  readonly problem?: string | undefined
  /** Why someone applied it without the required approvals or in a freeze; absent: no one did. */
  readonly bypass?: string | undefined
  /** Digest of everything that is proposed: values, attributes, reason, time and the revision it is based on. */
  readonly digest: string
  /** Revision of the stage on which it is based. */
  readonly baseRevision: number
  /** Revision of the stage now. */
  readonly revision: number
  /** Where proposed states come from. */
  readonly source: {
    /** Stage from which variables were copied; absent: none. */
    readonly copy?: StageSlugs | undefined
    /** Revision whose state is restored; absent: none. */
    readonly restore?: number | undefined
  }
  /** What it does, ordered by name. */
  readonly items: readonly ChangeItem[]
  /** End of the freeze of its stage, Unix time in milliseconds; absent: it is not frozen. */
  readonly frozenUntilMs?: number | undefined
  /** Too few people may approve it; absent: enough, or unknown because of a group whose members the identity provider reports, or it needs no review. */
  readonly lacksApprovers?: true | undefined
  /** Reviews, also those that an edit voided, oldest first. */
  readonly reviews: readonly Review[]
}

/** What a change does to a variable. */
export interface ChangeItem {
  /** Name of the variable, unique within the stage, case sensitive. */
  readonly name: string
  /** What it does to the variable; chance: only its chance changes. */
  readonly action: 'create' | 'update' | 'delete' | 'chance'
  /** State after the change, with digests in place of values; absent for delete and chance. */
  readonly after?: VariableState | undefined
  /** Chance after the change; absent except for the action chance. */
  readonly chance?: number | undefined
  /** State now, with digests in place of values; absent if there is none, or if the change has settled. */
  readonly before?: VariableState | undefined
  /** Proposed values, if they are not secret, for people who may read the stage; absent if they are or were secret, exceed 256 KiB in total, or have settled, before a confirmation that env/plain requires, and in other answers than that of changes/show. */
  readonly plain?: ValueTexts | undefined
  /** Revision that changed the variable after the one that the change is based on; absent: none, so it does not conflict. */
  readonly changedAt?: number | undefined
}

/** A change of a stage. */
export interface ChangeRef {
  /** Slug of the organization of the token. */
  readonly orgSlug: string
  /** Slug of the project. */
  readonly projectSlug: string
  /** Slug of the stage, an environment of the project. */
  readonly stageSlug: string
  /** Id of the change. */
  readonly id: string
}

/** A claim. */
export interface Claim {
  /** Name of the claim, or the path of a nested one with dots. */
  readonly name: string
  /** Text that the claim must equal; with * at its end: must begin with. A boolean or number compares by its JSON text; a list must contain it. */
  readonly value: string
}

/** A client key. */
export interface ClientKey {
  /** Id of the client key. */
  readonly id: string
  /** What the client key is for. */
  readonly name: string
  /** Slug of the project. */
  readonly projectSlug: string
  /** Slug of the stage, an environment of the project. */
  readonly stageSlug: string
  /** Origins whose web pages may use the key; * alone: all; empty: no web page, only apps. */
  readonly origins: readonly string[]
  /** Evaluations of a UTC month after which it is refused. */
  readonly evaluationsPerMonth: number
  /** The client key: svc_ck_…, which may be public. */
  readonly key: string
  /** Id of the user who created it at the identity provider. */
  readonly createdBy: string
  /** When it was created, Unix time in milliseconds. */
  readonly createdAtMs: number
  /** When it was last used, Unix time in milliseconds, give or take some seconds; absent: never. */
  readonly lastUsedAtMs?: number | undefined
}

/** Names of declarations that changed. */
export interface DeclarationChanges {
  /** Names that were not declared before. */
  readonly created: readonly string[]
  /** Names whose declarations changed. */
  readonly updated: readonly string[]
  /** Names that are no longer declared. */
  readonly deleted: readonly string[]
}

/** A variable without its values. */
export interface DescribedVariable {
  /** Name of the variable, unique within the stage, case sensitive. */
  readonly name: string
  /** Kind of the variable. */
  readonly kind: Kind
  /** Type that the value, a string on the wire, parses as; absent: string. */
  readonly declaredType?: DeclaredType | undefined
  /** Probability of value A, from 0 to 1; absent for a secret. */
  readonly chance?: number | undefined
  /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; absent: secret. */
  readonly exposure?: Exposure | undefined
  /** What the variable is for, at most 1,000 characters; absent: none. */
  readonly description?: string | undefined
  /** Names of the two sides, each at most 64 characters; absent: none. */
  readonly labels?: Labels | undefined
  /** Targeting rules, of which the first match decides; only requests with a context can match; absent: none. */
  readonly rules?: readonly TargetingRule[] | undefined
  /** How many seeds are pinned to each side; absent: none. */
  readonly pinned?: PinCounts | undefined
  /** Its values are the results of a template; absent: they are not. */
  readonly template?: true | undefined
  /** Variables that the template names, ordered by name; absent: not a template. */
  readonly sources?: readonly string[] | undefined
  /** A secret that is being rotated: value A, the new one, replaces value B step by step; absent: it is not. */
  readonly rotating?: true | undefined
}

/** A variable with digests of its values, and its last write. */
export interface DigestEntry {
  /** Name of the variable, unique within the stage, case sensitive. */
  readonly name: string
  /** Kind of the variable. */
  readonly kind: Kind
  /** Type that the value, a string on the wire, parses as; absent: string. */
  readonly declaredType?: DeclaredType | undefined
  /** Probability of value A, from 0 to 1; absent for a secret. */
  readonly chance?: number | undefined
  /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; absent: secret. */
  readonly exposure?: Exposure | undefined
  /** What the variable is for, at most 1,000 characters; absent: none. */
  readonly description?: string | undefined
  /** Names of the two sides, each at most 64 characters; absent: none. */
  readonly labels?: Labels | undefined
  /** Targeting rules, of which the first match decides; only requests with a context can match; absent: none. */
  readonly rules?: readonly TargetingRule[] | undefined
  /** How many seeds are pinned to each side; absent: none. */
  readonly pinned?: PinCounts | undefined
  /** Its values are the results of a template; absent: they are not. */
  readonly template?: true | undefined
  /** Variables that the template names, ordered by name; absent: not a template. */
  readonly sources?: readonly string[] | undefined
  /** A secret that is being rotated: value A, the new one, replaces value B step by step; absent: it is not. */
  readonly rotating?: true | undefined
  /** Digest of each value. */
  readonly digests: Digests
  /** When it was last written, Unix time in milliseconds. */
  readonly updatedAtMs: number
  /** Id of the user at the identity provider, of the service token or of the trust. */
  readonly updatedBy: string
}

/** Digest of each value. */
export interface Digests {
  /** secret only; absent if the value does not open. */
  readonly value?: string | undefined
  /** ab_roll only; absent if the value does not open. */
  readonly a?: string | undefined
  /** ab_roll only; absent if the value does not open. */
  readonly b?: string | undefined
  /** Of all pins together; absent if there are none, or if they do not open. */
  readonly pins?: string | undefined
  /** Of the texts of a template; absent if it is not one, or if they do not open. */
  readonly template?: string | undefined
}

/** A variable in the answer of an evaluation. */
export interface EvaluatedVariable {
  /** Name of the variable, unique within the stage, case sensitive. */
  readonly name: string
  /** Kind of the variable. */
  readonly kind: Kind
  /** Plaintext value, at most 65,536 bytes of UTF-8. */
  readonly value: string
  /** Type that the value, a string on the wire, parses as; absent: string. */
  readonly declaredType?: DeclaredType | undefined
  /** Side that an ab_roll chose; absent for a secret. */
  readonly decision?: 'a' | 'b' | undefined
  /** Label of the side, for a request with explain; absent if the roll has no labels. */
  readonly label?: string | undefined
  /** What decided an ab_roll, for a request with explain; absent without it. */
  readonly step?: 'pin' | 'rule' | 'chance' | undefined
  /** Number of the targeting rule, from 1; absent if none decided. */
  readonly rule?: number | undefined
  /** Probability of value A that decided, of the rule or of the roll; absent if none decided. */
  readonly chance?: number | undefined
  /** A gradual rotation made the roll, so that both values are valid; absent: none did, or a request without explain. */
  readonly rotating?: true | undefined
}

/** A role that a principal has at a place. */
export interface Grant {
  /** A person, a group, a service token or a trust. */
  readonly principal: NamedPrincipal
  /** Slug of the project; absent: the whole organization. */
  readonly projectSlug?: string | undefined
  /** Slug of the stage; absent: the whole project. */
  readonly stageSlug?: string | undefined
  /** Role: a built-in one, or one that the organization has added. */
  readonly role: string
  /** When the grant ends, Unix time in milliseconds; absent: never. */
  readonly expiresAtMs?: number | undefined
  /** When it was granted, Unix time in milliseconds. */
  readonly grantedAtMs: number
  /** Id of the user at the identity provider, of the service token or of the trust. */
  readonly grantedBy: string
}

/** A group and its members. */
export interface Group {
  /** Id of the group. */
  readonly id: string
  /** Name of the group, unique within the organization. */
  readonly name: string
  /** Group at the identity provider, whose people are the members; absent: the members are kept here. */
  readonly idpGroup?: string | undefined
  /** When it was created, Unix time in milliseconds. */
  readonly createdAtMs: number
  /** Ordered by kind and id. */
  readonly members: readonly {
    /** Kind of the member; email: a person who is invited and has not joined yet. */
    readonly kind: 'user' | 'email'
    /** Id of the user at the identity provider, of the group, of the service token or of the trust; or the email. */
    readonly id: string
    /** Name of the group, the active service token, the trust or the person; absent for people of an external identity provider. */
    readonly name?: string | undefined
    /** Email of the person; absent with an external identity provider. */
    readonly email?: string | undefined
  }[]
}

/** A person. */
export interface GroupMember {
  /** Kind of the member; email: a person who is invited and has not joined yet. */
  readonly kind: 'user' | 'email'
  /** Id of the user at the identity provider, of the group, of the service token or of the trust; or the email. */
  readonly id: string
}

/** What a revision did to a variable, with the state after it. */
export interface HistoryChange {
  /** Kind of the variable; absent if it was deleted. */
  readonly kind?: Kind | undefined
  /** Type that the value, a string on the wire, parses as; absent: string. */
  readonly declaredType?: DeclaredType | undefined
  /** Probability of value A, from 0 to 1; absent for a secret. */
  readonly chance?: number | undefined
  /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; absent: secret. */
  readonly exposure?: Exposure | undefined
  /** What the variable is for, at most 1,000 characters; absent: none. */
  readonly description?: string | undefined
  /** Names of the two sides, each at most 64 characters; absent: none. */
  readonly labels?: Labels | undefined
  /** Targeting rules, of which the first match decides; only requests with a context can match; absent: none. */
  readonly rules?: readonly TargetingRule[] | undefined
  /** How many seeds are pinned to each side; absent: none. */
  readonly pinned?: PinCounts | undefined
  /** Its values are the results of a template; absent: they are not. */
  readonly template?: true | undefined
  /** Variables that the template names, ordered by name; absent: not a template. */
  readonly sources?: readonly string[] | undefined
  /** A secret that is being rotated: value A, the new one, replaces value B step by step; absent: it is not. */
  readonly rotating?: true | undefined
  /** Digest of each value; absent if the variable was deleted. */
  readonly digests?: Digests | undefined
  /** Revision of the stage; 0: the stage does not exist. */
  readonly revision: number
  /** Name of the variable, unique within the stage, case sensitive. */
  readonly name: string
  /** What the revision did to the variable. */
  readonly change: 'created' | 'updated' | 'deleted' | 'restored'
  /** Absent if there was none or if it is older than the history. */
  readonly before?: VariableState | undefined
  /** When the revision was made, Unix time in milliseconds. */
  readonly writtenAtMs: number
  /** Id of the user at the identity provider, of the service token or of the trust. */
  readonly writtenBy: string
  /** Client as a text for people, such as: cli session laptop; absent if it is unknown. */
  readonly client?: string | undefined
  /** Proposed change that made the revision; absent: it was written directly, or by a step of a ramp. */
  readonly changeId?: string | undefined
  /** Why that change was proposed; absent without changeId. */
  readonly reason?: string | undefined
  /** Id of the user, the service token or the trust that proposed that change; absent without changeId. */
  readonly proposedBy?: string | undefined
  /** Client of that proposal as a text for people, such as: cli session laptop; absent without changeId. */
  readonly proposedWith?: string | undefined
}

/** Which changes of a stage to list. */
export interface HistoryFilter {
  /** Slug of the organization of the token. */
  readonly orgSlug: string
  /** Slug of the project. */
  readonly projectSlug: string
  /** Slug of the stage, an environment of the project. */
  readonly stageSlug: string
  /** Only changes of this variable; absent: of all. */
  readonly name?: string | undefined
  /** Only revisions before this one; absent: from the newest. */
  readonly before?: number | undefined
  /** Maximum number of changes. @default 50 */
  readonly limit?: number | undefined
}

/** A webhook. */
export interface Hook {
  /** Id of the webhook. */
  readonly id: string
  /** What the webhook is for. */
  readonly name: string
  /** standard: signed JSON (Standard Webhooks); the others: a message for people in that chat. */
  readonly format: 'standard' | 'slack' | 'mattermost' | 'discord' | 'teams'
  /** Scheme, host and port of its URL, whose path may be a secret. */
  readonly target: string
  /** Types of events that it receives; empty: all. */
  readonly events: readonly HookFilter[]
  /** The project or stage whose events it receives; absent: those of the whole organization. */
  readonly within?: HookPlace | undefined
  /** Id of the user who created it at the identity provider. */
  readonly createdBy: string
  /** When it was created, Unix time in milliseconds. */
  readonly createdAtMs: number
  /** Number of entries of the audit log that it has yet to read. */
  readonly waiting: number
  /** Since when no delivery succeeded, Unix time in milliseconds; absent: the last one did. */
  readonly failingSinceMs?: number | undefined
  /** Why the last delivery failed; absent: it did not. */
  readonly failure?: string | undefined
  /** Since when it is switched off, Unix time in milliseconds; absent: it is not. */
  readonly offSinceMs?: number | undefined
}

/** A message that was sent to a webhook. */
export interface HookDelivery {
  /** Id of the message, the same in each attempt. */
  readonly eventId: string
  /** Type of the event. */
  readonly type: string
  /** When it was last sent, Unix time in milliseconds. */
  readonly atMs: number
  /** How often it was sent. */
  readonly attempts: number
  /** Status of the answer; absent: there was none. */
  readonly status?: number | undefined
  /** How long the answer took, in milliseconds. */
  readonly durationMs: number
  /** Why it failed; absent: it was accepted. */
  readonly failure?: string | undefined
}

/** Type of event, or a group of them such as change.*. */
export type HookFilter =
  | 'variables.changed'
  | 'declarations.changed'
  | 'change.proposed'
  | 'change.edited'
  | 'change.rescheduled'
  | 'change.approved'
  | 'change.rejected'
  | 'change.applied'
  | 'change.failed'
  | 'change.withdrawn'
  | 'ramp.stepped'
  | 'ramp.paused'
  | 'ramp.resumed'
  | 'ramp.aborted'
  | 'member.invited'
  | 'member.added'
  | 'member.changed'
  | 'member.removed'
  | 'access.changed'
  | 'token.expiring'
  | 'secret.due'
  | 'roll.misfit'
  | 'hook.tested'
  | 'variables.*'
  | 'declarations.*'
  | 'change.*'
  | 'ramp.*'
  | 'member.*'
  | 'access.*'
  | 'token.*'
  | 'secret.*'
  | 'roll.*'
  | 'hook.*'

/** The project or stage whose events it receives; absent: those of the whole organization. */
export interface HookPlace {
  /** Slug of the project. */
  readonly projectSlug: string
  /** Slug of the stage; absent: all stages of the project. */
  readonly stageSlug?: string | undefined
}

/** Names of the two sides, each at most 64 characters. */
export interface Labels {
  /** Name of side A. */
  readonly a: string
  /** Name of side B. */
  readonly b: string
}

/** A change of a stage in a list. */
export interface ListedChange {
  /** Id of the change. */
  readonly id: string
  /** Slug of the project. */
  readonly projectSlug: string
  /** Slug of the stage, an environment of the project. */
  readonly stageSlug: string
  /** State of the change. */
  readonly state: ChangeState
  /** Why it is proposed. */
  readonly reason: string
  /** Id of the user, the service token or the trust that proposed it. */
  readonly proposedBy: string
  /** Client as a text for people, such as: cli session laptop. */
  readonly proposedWith: string
  /** When it was proposed, Unix time in milliseconds. */
  readonly proposedAtMs: number
  /** When it was last moved, edited or reviewed, Unix time in milliseconds. */
  readonly updatedAtMs: number
  /** Variables that it touches, at most 100, ordered by name. */
  readonly names: readonly string[]
  /** Number of all variables that it touches. */
  readonly nameCount: number
  /** When it is applied by itself, Unix time in milliseconds; absent: when someone applies it. */
  readonly applyAtMs?: number | undefined
  /** Steps of its ramp; those that a pause has missed are moved by whole days; absent: it is not a ramp. */
  readonly steps?: readonly RampStep[] | undefined
  /** Number of its steps that are written or skipped; absent: it is not a ramp. */
  readonly stepsDone?: number | undefined
  /** What happens before a step if chance alone does not explain which values were served since the last one; absent: the step is written. */
  readonly guard?: RampGuard | undefined
  /** Days of the week on which no step falls after a pause; absent: none. */
  readonly notOn?: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[] | undefined
  /** When the service applies it or its next step, at the end of a freeze if there is one, Unix time in milliseconds; absent: not by itself. */
  readonly dueAtMs?: number | undefined
  /** Named time zone in which people planned the times, such as Europe/Berlin; absent: none. */
  readonly zone?: string | undefined
  /** Approvals and rejections of a change. */
  readonly approvals: Approvals
  /** Whether it still needs a review that the caller can give. */
  readonly needsYou: boolean
  /** Latest revision that changed one of its variables after the one that the change is based on, so that it cannot be applied; absent: none. */
  readonly conflictAt?: number | undefined
  /** When it was settled, Unix time in milliseconds; absent: not yet. */
  readonly settledAtMs?: number | undefined
  /** Id of the user or machine that settled it; absent: not settled, or the service. */
  readonly settledBy?: string | undefined
  /** Revision that it made; absent: none. */
  readonly appliedRevision?: number | undefined
  /** Why it could not be applied at its time; absent: it could. */
  readonly problem?: string | undefined
  /** Why someone applied it without the required approvals or in a freeze; absent: no one did. */
  readonly bypass?: string | undefined
}

/** A client key and its use. */
export interface ListedClientKey {
  /** Id of the client key. */
  readonly id: string
  /** What the client key is for. */
  readonly name: string
  /** Slug of the project. */
  readonly projectSlug: string
  /** Slug of the stage, an environment of the project. */
  readonly stageSlug: string
  /** Origins whose web pages may use the key; * alone: all; empty: no web page, only apps. */
  readonly origins: readonly string[]
  /** Evaluations of a UTC month after which it is refused. */
  readonly evaluationsPerMonth: number
  /** The client key: svc_ck_…, which may be public. */
  readonly key: string
  /** Id of the user who created it at the identity provider. */
  readonly createdBy: string
  /** When it was created, Unix time in milliseconds. */
  readonly createdAtMs: number
  /** When it was last used, Unix time in milliseconds, give or take some seconds; absent: never. */
  readonly lastUsedAtMs?: number | undefined
  /** Evaluations of this UTC month, up to some seconds ago. */
  readonly evaluationsThisMonth: number
}

/** A declaration, and who set it. */
export interface ListedDeclaration {
  /** Name of the variable, unique within the stage, case sensitive. */
  readonly name: string
  /** Type that each value must parse as; absent: any text. */
  readonly declaredType?: DeclaredType | undefined
  /** What the variable is for, at most 1,000 characters; absent: not said. */
  readonly description?: string | undefined
  /** The most that it may be exposed; absent: not said. */
  readonly exposure?: Exposure | undefined
  /** What each value must be; absent: anything. */
  readonly constraint?: Constraint | undefined
  /** all: in every stage; production: in those marked as production; a list: in the stages with these slugs; absent: nowhere. */
  readonly required?: Required | undefined
  /** Person or group that is responsible; absent: not said. */
  readonly owner?: string | undefined
  /** How often it should get another value, in days; absent: not said. */
  readonly rotateEveryDays?: number | undefined
  /** A value for people without access, which is not secret; absent: none. */
  readonly example?: string | undefined
  /** When it was set, Unix time in milliseconds. */
  readonly updatedAtMs: number
  /** Who set it: id of the user, the service token or the trust. */
  readonly updatedBy: string
}

/** A roll of a stage, and how it was served. */
export interface ListedRoll {
  /** Slug of the project. */
  readonly projectSlug: string
  /** Slug of the stage, an environment of the project. */
  readonly stageSlug: string
  /** Name of the variable, unique within the stage, case sensitive. */
  readonly name: string
  /** Type that the value, a string on the wire, parses as; absent: string. */
  readonly declaredType?: DeclaredType | undefined
  /** Probability of value A, from 0 to 1. */
  readonly chance: number
  /** When it was created, Unix time in milliseconds. */
  readonly createdAtMs: number
  /** When it was last written, Unix time in milliseconds. */
  readonly updatedAtMs: number
  /** When the chance became what it is, Unix time in milliseconds; if the history does not reach back to it: the first time at which the chance is known to be that. */
  readonly chanceSinceMs: number
  /** In the last 30 UTC days, today included. */
  readonly served: ServedCounts
  /** Names of the two sides, each at most 64 characters; absent: none. */
  readonly labels?: Labels | undefined
  /** How many seeds are pinned to each side; absent: none. */
  readonly pinned?: PinCounts | undefined
  /** Number of targeting rules; absent: none. */
  readonly ruleCount?: number | undefined
  /** By the chance, without pins and targeting rules, in the UTC hours since then that had no other chance, of the last 90 days. */
  readonly sinceChance: ServedCounts
}

/** A service token and the status of its creator. */
export interface ListedServiceToken {
  /** Id of the service token. */
  readonly id: string
  /** What the token is for. */
  readonly name: string
  /** The only project in its scope; absent: all. */
  readonly projectSlug?: string | undefined
  /** The only stage in its scope; absent: all. */
  readonly stageSlug?: string | undefined
  /** What it may do within its scope. */
  readonly role: MachineRole
  /** Whether it may not write. */
  readonly readOnly: boolean
  /** Whether it may read the history and, unless it is read-only, restore. */
  readonly history: boolean
  /** Id of the user who created it at the identity provider, or operator. */
  readonly createdBy: string
  /** When it was created, Unix time in milliseconds. */
  readonly createdAtMs: number
  /** When it expires, Unix time in milliseconds. */
  readonly expiresAtMs: number
  /** When it was last used, Unix time in milliseconds, give or take some seconds; absent: never. */
  readonly lastUsedAtMs?: number | undefined
  /** When the former secret ends, which still works after a rotation, Unix time in milliseconds; absent: only one secret works. */
  readonly formerExpiresAtMs?: number | undefined
  /** Whether its creator is still a member; unknown if the identity provider cannot be reached. */
  readonly creator: 'member' | 'left' | 'operator' | 'unknown'
}

/** A variable in a list, without its values. */
export interface ListedVariable {
  /** Name of the variable, unique within the stage, case sensitive. */
  readonly name: string
  /** Kind of the variable. */
  readonly kind: Kind
  /** Type that the value, a string on the wire, parses as; absent: string. */
  readonly declaredType?: DeclaredType | undefined
  /** Probability of value A, from 0 to 1; absent for a secret. */
  readonly chance?: number | undefined
  /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; absent: secret. */
  readonly exposure?: Exposure | undefined
  /** What the variable is for, at most 1,000 characters; absent: none. */
  readonly description?: string | undefined
  /** Names of the two sides, each at most 64 characters; absent: none. */
  readonly labels?: Labels | undefined
  /** Targeting rules, of which the first match decides; only requests with a context can match; absent: none. */
  readonly rules?: readonly TargetingRule[] | undefined
  /** How many seeds are pinned to each side; absent: none. */
  readonly pinned?: PinCounts | undefined
  /** Its values are the results of a template; absent: they are not. */
  readonly template?: true | undefined
  /** Variables that the template names, ordered by name; absent: not a template. */
  readonly sources?: readonly string[] | undefined
  /** A secret that is being rotated: value A, the new one, replaces value B step by step; absent: it is not. */
  readonly rotating?: true | undefined
  /** When it was created, Unix time in milliseconds. */
  readonly createdAtMs: number
  /** When it was last written, Unix time in milliseconds. */
  readonly updatedAtMs: number
  /** Last UTC day on which a value was served: YYYY-MM-DD; absent: not since it was created, or not within 400 days. */
  readonly lastEvaluatedDay?: string | undefined
}

/** Verbs that a principal loses. */
export interface LostAccess {
  /** Who loses verbs; absent: every member, by the default role. */
  readonly principal?: NamedPrincipal | undefined
  /** Verbs that they lose. */
  readonly verbs: readonly Verb[]
}

/** A member of the organization. */
export interface Member {
  /** Id of the user at the identity provider. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** Email of the account. */
  readonly email: string
  /** Role of the member in the organization. */
  readonly role: 'member' | 'admin' | 'owner'
}

/** A person, a group, a service token or a trust. */
export interface NamedPrincipal {
  /** Kind of the principal; email: a person who is invited and has not joined yet. */
  readonly kind: 'user' | 'group' | 'token' | 'trust' | 'email'
  /** Id of the user at the identity provider, of the group, of the service token or of the trust; or the email. */
  readonly id: string
  /** Name of the group, the active service token, the trust or the person; absent for people of an external identity provider. */
  readonly name?: string | undefined
  /** Email of the person; absent with an external identity provider. */
  readonly email?: string | undefined
}

/** A webhook and its secret. */
export interface NewHook {
  /** Id of the webhook. */
  readonly id: string
  /** What the webhook is for. */
  readonly name: string
  /** standard: signed JSON (Standard Webhooks); the others: a message for people in that chat. */
  readonly format: 'standard' | 'slack' | 'mattermost' | 'discord' | 'teams'
  /** Scheme, host and port of its URL, whose path may be a secret. */
  readonly target: string
  /** Types of events that it receives; empty: all. */
  readonly events: readonly HookFilter[]
  /** The project or stage whose events it receives; absent: those of the whole organization. */
  readonly within?: HookPlace | undefined
  /** Id of the user who created it at the identity provider. */
  readonly createdBy: string
  /** When it was created, Unix time in milliseconds. */
  readonly createdAtMs: number
  /** Number of entries of the audit log that it has yet to read. */
  readonly waiting: number
  /** Since when no delivery succeeded, Unix time in milliseconds; absent: the last one did. */
  readonly failingSinceMs?: number | undefined
  /** Why the last delivery failed; absent: it did not. */
  readonly failure?: string | undefined
  /** Since when it is switched off, Unix time in milliseconds; absent: it is not. */
  readonly offSinceMs?: number | undefined
  /** Signing secret of Standard Webhooks: whsec_ and base64. */
  readonly secret: string
}

/** The request was fulfilled. */
export interface Ok {
  /** Always true, since errors have another status. */
  readonly ok: true
}

/** How many seeds are pinned to each side. */
export interface PinCounts {
  /** Number of seeds that get A. */
  readonly a: number
  /** Number of seeds that get B. */
  readonly b: number
}

/** Plan of the organization. */
export interface Plan {
  /** Name of the plan. */
  readonly name: 'unlimited' | 'free'
  /** Maximum billing events per UTC calendar month; absent: unlimited. */
  readonly evaluationsPerMonth?: number | undefined
  /** Maximum bytes of all sealed values; absent: unlimited. */
  readonly storageBytes?: number | undefined
}

/** A person, a group, a service token or a trust. */
export interface Principal {
  /** Kind of the principal; email: a person who is invited and has not joined yet. */
  readonly kind: 'user' | 'group' | 'token' | 'trust' | 'email'
  /** Id of the user at the identity provider, of the group, of the service token or of the trust; or the email. */
  readonly id: string
}

/** A project and its stages. */
export interface Project {
  /** Slug of the project. */
  readonly projectSlug: string
  /** Name for people. */
  readonly name: string
  /** When it was created, Unix time in milliseconds. */
  readonly createdAtMs: number
  /** When it was archived, Unix time in milliseconds; absent if it is not. */
  readonly archivedAtMs?: number | undefined
  /** Number of different names of variables in the stages, without archived stages. */
  readonly variables: number
  /** In the order of the project. */
  readonly stages: readonly Stage[]
}

/** What a protected stage requires of changes. */
export interface Protection {
  /** Number of people who must approve a change, 0 to 10; 0: writes need no approval. */
  readonly approvals: number
  /** Whether the one who proposed a change can be one of them. */
  readonly selfApproval: boolean
  /** Role whose verbs at the stage let a person apply a change without approvals, with a reason; null: no one may. */
  readonly bypassRole: string | null
  /** Verb that lets people and machines stop a roll without approval, also in a freeze. */
  readonly stopVerb: 'write' | 'approve' | 'manage'
  /** Times at which the stage does not change, at most 20. */
  readonly freezes: readonly FreezeWindow[]
}

/** A roll whose chance changes step by step, or a secret that is rotated. */
export interface Ramp {
  /** Name of the variable, unique within the stage, case sensitive. */
  readonly name: string
  /** Its steps, in the order of their times. */
  readonly steps: readonly RampStep[]
  /** New value of a secret, which the steps rotate: first a roll of the new value (A) and the old one (B), after the last step, of chance 1, a secret with the new value; absent: the variable is a roll. */
  readonly value?: string | undefined
  /** What happens before a step if chance alone does not explain which values were served since the last one; absent: the step is written. */
  readonly guard?: RampGuard | undefined
  /** Days of the week on which no step falls after a pause; absent: none. */
  readonly notOn?: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[] | undefined
}

/** What happens before a step if chance alone does not explain which values were served since the last one; absent: the step is written. */
export interface RampGuard {
  /** hold: the ramp is paused; abort: it ends at abortTo. */
  readonly onMisfit: 'hold' | 'abort'
  /** Probability of value A after an abort, from 0 to 1; absent: 0. */
  readonly abortTo?: number | undefined
}

/** A revision of a stage, and the first of its changes. */
export interface RecentRevision {
  /** Slug of the project. */
  readonly projectSlug: string
  /** Slug of the stage, an environment of the project. */
  readonly stageSlug: string
  /** Revision of the stage; 0: the stage does not exist. */
  readonly revision: number
  /** When the revision was made, Unix time in milliseconds. */
  readonly writtenAtMs: number
  /** Id of the user at the identity provider, of the service token or of the trust. */
  readonly writtenBy: string
  /** Client as a text for people, such as: cli session laptop. */
  readonly client: string
  /** Proposed change that made the revision; absent: it was written directly, or by a step of a ramp. */
  readonly changeId?: string | undefined
  /** Why that change was proposed; absent without changeId. */
  readonly reason?: string | undefined
  /** Id of the user, the service token or the trust that proposed that change; absent without changeId. */
  readonly proposedBy?: string | undefined
  /** Client of that proposal as a text for people, such as: cli session laptop; absent without changeId. */
  readonly proposedWith?: string | undefined
  /** The first changes by name; fewer if they are older than the history. */
  readonly changes: readonly {
    /** Name of the variable, unique within the stage, case sensitive. */
    readonly name: string
    /** What the revision did to the variable. */
    readonly change: 'created' | 'updated' | 'deleted' | 'restored'
    /** Probability of value A after the revision; absent unless it is a roll. */
    readonly chance?: number | undefined
    /** Probability of value A before the revision; absent if it was not a roll, or if the history does not reach back to it. */
    readonly chanceBefore?: number | undefined
  }[]
  /** Number of all variables that the revision changed. */
  readonly changeCount: number
}

/** Number of equal decisions that a program made. */
export interface ReportedDecisions {
  /** Name of the variable, unique within the stage, case sensitive. */
  readonly name: string
  /** Side of a roll; absent for another variable. */
  readonly decision?: 'a' | 'b' | undefined
  /** What decided a roll; absent for another variable. */
  readonly step?: 'pin' | 'rule' | 'chance' | undefined
  /** Number of the targeting rule, from 1; absent if none decided. */
  readonly rule?: number | undefined
  /** Probability of value A by which the chance of the roll decided; absent: the current one. */
  readonly chance?: number | undefined
  /** Number of decisions. */
  readonly count: number
  /** UTC day of the decisions: today or yesterday; absent: today. */
  readonly day?: string | undefined
}

/** A variable with its values, in the form of a write apart from the text of a template. */
export type RevealedEntry = RevealedSecret | RevealedRoll

/** An A/B roll with its values. */
export interface RevealedRoll {
  /** Name of the variable, unique within the stage, case sensitive. */
  readonly name: string
  /** Kind of the variable. */
  readonly kind: 'ab_roll'
  /** Plaintext value, at most 65,536 bytes of UTF-8. */
  readonly valueA: string
  /** Plaintext value, at most 65,536 bytes of UTF-8. */
  readonly valueB: string
  /** Probability of value A, from 0 to 1. */
  readonly chance: number
  /** Type that the value must parse as; absent in a write: as stored; absent in an answer: string. */
  readonly declaredType?: DeclaredType | undefined
  /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; null: secret; absent in a write: as stored; absent in an answer: secret. */
  readonly exposure?: (Exposure | null) | undefined
  /** What the variable is for, at most 1,000 characters; null: none; absent in a write: as stored; absent in an answer: none. */
  readonly description?: (string | null) | undefined
  /** Names of the two sides, each at most 64 characters; null: none; absent in a write: as stored. */
  readonly labels?: (Labels | null) | undefined
  /** Targeting rules, of which the first match decides; only requests with a context can match; null: none; absent in a write: as stored. */
  readonly rules?: (readonly TargetingRule[] | null) | undefined
  /** Seeds that always get one side, at most 1,000 a side; null: none; absent in a write: as stored. */
  readonly pins?: (Pins | null) | undefined
  /** Text of which valueA is the result; absent: not a template. */
  readonly templateA?: string | undefined
  /** Text of which valueB is the result; absent: not a template. */
  readonly templateB?: string | undefined
}

/** A secret with its value. */
export interface RevealedSecret {
  /** Name of the variable, unique within the stage, case sensitive. */
  readonly name: string
  /** Kind of the variable. */
  readonly kind: 'secret'
  /** Plaintext value, at most 65,536 bytes of UTF-8. */
  readonly value: string
  /** Text of the template, of which value is the result; absent: not a template. */
  readonly template?: string | undefined
  /** Type that the value must parse as; absent in a write: as stored; absent in an answer: string. */
  readonly declaredType?: DeclaredType | undefined
  /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; null: secret; absent in a write: as stored; absent in an answer: secret. */
  readonly exposure?: (Exposure | null) | undefined
  /** What the variable is for, at most 1,000 characters; null: none; absent in a write: as stored; absent in an answer: none. */
  readonly description?: (string | null) | undefined
}

/** A review of a change. */
export interface Review {
  /** Id of the person at the identity provider. */
  readonly reviewer: string
  /** What they said. */
  readonly verdict: 'approve' | 'reject'
  /** Why; absent: no comment. */
  readonly comment?: string | undefined
  /** When, Unix time in milliseconds. */
  readonly reviewedAtMs: number
  /** Whether it is about what the change proposes now: an edit voids it. */
  readonly isCurrent: boolean
  /** Whether it counts now: it is current, and the person may approve. */
  readonly counts: boolean
}

/** A role and what it allows. */
export interface Role {
  /** Role: a built-in one, or one that the organization has added. */
  readonly name: string
  /** What is allowed: list, read, write, approve, manage, in this order. */
  readonly verbs: readonly Verb[]
  /** Whether every organization has it, so that it cannot be changed. */
  readonly isBuiltIn: boolean
}

/** An A/B roll in a write. */
export interface RollEntry {
  /** Name of the variable, unique within the stage, case sensitive. */
  readonly name: string
  /** Kind of the variable. */
  readonly kind: 'ab_roll'
  /** Plaintext value, at most 65,536 bytes of UTF-8. */
  readonly valueA: string
  /** Plaintext value, at most 65,536 bytes of UTF-8. */
  readonly valueB: string
  /** Whether each value is a template, in which ${NAME} stands for the value of another secret of the stage, and $${ for ${; absent: it is plain text. */
  readonly template?: boolean | undefined
  /** Probability of value A, from 0 to 1. */
  readonly chance: number
  /** Type that the value must parse as; absent in a write: as stored; absent in an answer: string. */
  readonly declaredType?: DeclaredType | undefined
  /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; null: secret; absent in a write: as stored; absent in an answer: secret. */
  readonly exposure?: (Exposure | null) | undefined
  /** What the variable is for, at most 1,000 characters; null: none; absent in a write: as stored; absent in an answer: none. */
  readonly description?: (string | null) | undefined
  /** Names of the two sides, each at most 64 characters; null: none; absent in a write: as stored. */
  readonly labels?: (Labels | null) | undefined
  /** Targeting rules, of which the first match decides; only requests with a context can match; null: none; absent in a write: as stored. */
  readonly rules?: (readonly TargetingRule[] | null) | undefined
  /** Seeds that always get one side, at most 1,000 a side; null: none; absent in a write: as stored. */
  readonly pins?: (Pins | null) | undefined
}

/** An A/B roll in a ruleset. */
export interface RulesetRoll {
  /** Name of the variable, unique within the stage, case sensitive. */
  readonly name: string
  /** Type that the value, a string on the wire, parses as; absent: string. */
  readonly declaredType?: DeclaredType | undefined
  /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; absent: secret. */
  readonly exposure?: Exposure | undefined
  /** Kind of the variable. */
  readonly kind: 'ab_roll'
  /** Plaintext value, at most 65,536 bytes of UTF-8. */
  readonly valueA: string
  /** Plaintext value, at most 65,536 bytes of UTF-8. */
  readonly valueB: string
  /** Probability of value A, from 0 to 1. */
  readonly chance: number
  /** Names of the two sides, each at most 64 characters; absent: none. */
  readonly labels?: Labels | undefined
  /** Targeting rules, of which the first match decides; only requests with a context can match; absent: none. */
  readonly rules?: readonly TargetingRule[] | undefined
  /** A secret that is being rotated: value A, the new one, replaces value B step by step; absent: it is not. */
  readonly rotating?: true | undefined
  /** Pinned seeds by side: the first 16 bytes of SHA-256 of the salt and the seed; absent: none. */
  readonly pins?:
    | {
        /** Hashes of seeds, each 32 hexadecimal digits. */
        readonly a: readonly string[]
        /** Hashes of seeds, each 32 hexadecimal digits. */
        readonly b: readonly string[]
      }
    | undefined
}

/** A variable with one value in a ruleset. */
export interface RulesetSecret {
  /** Name of the variable, unique within the stage, case sensitive. */
  readonly name: string
  /** Type that the value, a string on the wire, parses as; absent: string. */
  readonly declaredType?: DeclaredType | undefined
  /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; absent: secret. */
  readonly exposure?: Exposure | undefined
  /** Kind of the variable. */
  readonly kind: 'secret'
  /** Plaintext value, at most 65,536 bytes of UTF-8. */
  readonly value: string
}

/** A variable in a ruleset, with all its values. */
export type RulesetVariable = RulesetSecret | RulesetRoll

/** A secret in a write. */
export interface SecretEntry {
  /** Name of the variable, unique within the stage, case sensitive. */
  readonly name: string
  /** Kind of the variable. */
  readonly kind: 'secret'
  /** Plaintext value, at most 65,536 bytes of UTF-8. */
  readonly value: string
  /** Whether each value is a template, in which ${NAME} stands for the value of another secret of the stage, and $${ for ${; absent: it is plain text. */
  readonly template?: boolean | undefined
  /** Type that the value must parse as; absent in a write: as stored; absent in an answer: string. */
  readonly declaredType?: DeclaredType | undefined
  /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; null: secret; absent in a write: as stored; absent in an answer: secret. */
  readonly exposure?: (Exposure | null) | undefined
  /** What the variable is for, at most 1,000 characters; null: none; absent in a write: as stored; absent in an answer: none. */
  readonly description?: (string | null) | undefined
}

/** How many times each side was served. */
export interface ServedCounts {
  /** How many times value A was served. */
  readonly a: number
  /** How many times value B was served. */
  readonly b: number
}

/** A service token, without the token. */
export interface ServiceToken {
  /** Id of the service token. */
  readonly id: string
  /** What the token is for. */
  readonly name: string
  /** The only project in its scope; absent: all. */
  readonly projectSlug?: string | undefined
  /** The only stage in its scope; absent: all. */
  readonly stageSlug?: string | undefined
  /** What it may do within its scope. */
  readonly role: MachineRole
  /** Whether it may not write. */
  readonly readOnly: boolean
  /** Whether it may read the history and, unless it is read-only, restore. */
  readonly history: boolean
  /** Id of the user who created it at the identity provider, or operator. */
  readonly createdBy: string
  /** When it was created, Unix time in milliseconds. */
  readonly createdAtMs: number
  /** When it expires, Unix time in milliseconds. */
  readonly expiresAtMs: number
  /** When it was last used, Unix time in milliseconds, give or take some seconds; absent: never. */
  readonly lastUsedAtMs?: number | undefined
}

/** A session of a command-line client. */
export interface Session {
  /** Id of the session. */
  readonly id: string
  /** Id of the user at the identity provider. */
  readonly idpUserId: string
  /** Name of the client; absent if it gave none. */
  readonly clientName?: string | undefined
  /** When the session began, Unix time in milliseconds. */
  readonly createdAtMs: number
  /** When the session was last used, Unix time in milliseconds, give or take some seconds. */
  readonly lastUsedAtMs: number
  /** When the refresh token expires, Unix time in milliseconds. */
  readonly refreshTokenExpiresAtMs: number
  /** Whether it is the session of this request. */
  readonly isCurrent: boolean
}

/** A stage of a project. */
export interface Stage {
  /** Slug of the stage, an environment of the project. */
  readonly stageSlug: string
  /** Revision of the stage; 0: the stage does not exist. */
  readonly revision: number
  /** Name for people. */
  readonly name: string
  /** When it was created, Unix time in milliseconds. */
  readonly createdAtMs: number
  /** When it was archived, Unix time in milliseconds; absent if it is not. */
  readonly archivedAtMs?: number | undefined
  /** Whether the stage is marked as production. */
  readonly isProduction: boolean
  /** The stage takes access to its values only from grants on itself; absent unless it is protected. */
  readonly isProtected?: true | undefined
  /** What the protected stage requires of changes; absent: nothing. */
  readonly protection?: Protection | undefined
  /** Too few people may approve what the caller would propose; absent: enough, or unknown because of a group whose members the identity provider reports, or the caller is a machine. */
  readonly lacksApprovers?: true | undefined
  /** Number of variables. */
  readonly variables: number
  /** When the stage reached its revision, Unix time in milliseconds. */
  readonly updatedAtMs: number
}

/** A stage of the organization. */
export interface StageSlugs {
  /** Slug of the project. */
  readonly projectSlug: string
  /** Slug of the stage, an environment of the project. */
  readonly stageSlug: string
}

/** A trust in the tokens of an issuer. */
export interface Trust {
  /** Id of the trust. */
  readonly id: string
  /** What the trust is for. */
  readonly name: string
  /** Issuer of the tokens, exactly as their claim iss. */
  readonly issuer: string
  /** Audience that the tokens must name. */
  readonly audience: string
  /** Claims that a token must have, 1 to 20. */
  readonly claims: readonly Claim[]
  /** The only project in its scope; absent: all. */
  readonly projectSlug?: string | undefined
  /** The only stage in its scope; absent: all. */
  readonly stageSlug?: string | undefined
  /** What its tokens may do within the scope. */
  readonly role: MachineRole
  /** Whether it may read the history and, unless it is read-only, restore. */
  readonly history: boolean
  /** Lifetime of the access tokens, in seconds. */
  readonly lifetimeSeconds: number
  /** Whether runs for pull requests, and for merge requests from forks, get tokens: anyone may cause them. */
  readonly forks: boolean
  /** Public keys that were pasted, as a JSON Web Key Set; absent: those of the issuer. */
  readonly jwks?: string | undefined
  /** Id of the user who created it at the identity provider. */
  readonly createdBy: string
  /** When it was created, Unix time in milliseconds. */
  readonly createdAtMs: number
  /** When it was last changed, Unix time in milliseconds. */
  readonly updatedAtMs: number
  /** When a token was last exchanged, Unix time in milliseconds; absent: never. */
  readonly lastUsedAtMs?: number | undefined
}

/** A text of a token beside the one that the trust requires. */
export interface TrustComparison {
  /** What the trust requires. */
  readonly expected: string
  /** What the token has; other values than texts as JSON; absent: nothing. */
  readonly actual?: string | undefined
  /** Whether the token is what the trust requires. */
  readonly matches: boolean
}

/** Values of a variable, by the fields of a write. */
export interface ValueTexts {
  /** Value of a secret; absent for an ab_roll. */
  readonly value?: string | undefined
  /** Value A of an ab_roll; absent for a secret. */
  readonly valueA?: string | undefined
  /** Value B of an ab_roll; absent for a secret. */
  readonly valueB?: string | undefined
  /** Text of which value is the result; absent: not a template. */
  readonly template?: string | undefined
  /** Text of which valueA is the result; absent: not a template. */
  readonly templateA?: string | undefined
  /** Text of which valueB is the result; absent: not a template. */
  readonly templateB?: string | undefined
}

/** State of a variable at a revision, with digests in place of values. */
export interface VariableState {
  /** Kind of the variable. */
  readonly kind: Kind
  /** Type that the value, a string on the wire, parses as; absent: string. */
  readonly declaredType?: DeclaredType | undefined
  /** Probability of value A, from 0 to 1; absent for a secret. */
  readonly chance?: number | undefined
  /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; absent: secret. */
  readonly exposure?: Exposure | undefined
  /** What the variable is for, at most 1,000 characters; absent: none. */
  readonly description?: string | undefined
  /** Names of the two sides, each at most 64 characters; absent: none. */
  readonly labels?: Labels | undefined
  /** Targeting rules, of which the first match decides; only requests with a context can match; absent: none. */
  readonly rules?: readonly TargetingRule[] | undefined
  /** How many seeds are pinned to each side; absent: none. */
  readonly pinned?: PinCounts | undefined
  /** Its values are the results of a template; absent: they are not. */
  readonly template?: true | undefined
  /** Variables that the template names, ordered by name; absent: not a template. */
  readonly sources?: readonly string[] | undefined
  /** A secret that is being rotated: value A, the new one, replaces value B step by step; absent: it is not. */
  readonly rotating?: true | undefined
  /** Digest of each value. */
  readonly digests: Digests
}

/** A variable, and what of it changes without its values. */
export interface VariableUpdate {
  /** Name of the variable, unique within the stage, case sensitive. */
  readonly name: string
  /** Probability of value A, from 0 to 1; absent: as stored. */
  readonly chance?: number | undefined
  /** Names of the two sides, each at most 64 characters; null: none; absent in a write: as stored. */
  readonly labels?: (Labels | null) | undefined
  /** Targeting rules, of which the first match decides; only requests with a context can match; null: none; absent in a write: as stored. */
  readonly rules?: (readonly TargetingRule[] | null) | undefined
  /** Seeds that always get one side, at most 1,000 a side; null: none; absent in a write: as stored. */
  readonly pins?: (Pins | null) | undefined
  /** Seeds to add to the pins; one that is pinned to the other side moves; absent: none. */
  readonly pin?: Pins | undefined
  /** Seeds to remove from the pins; absent: none. */
  readonly unpin?: readonly string[] | undefined
  /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; null: secret; absent in a write: as stored; absent in an answer: secret. */
  readonly exposure?: (Exposure | null) | undefined
  /** What the variable is for, at most 1,000 characters; null: none; absent in a write: as stored; absent in an answer: none. */
  readonly description?: (string | null) | undefined
}

/** A variable with its values. */
export type WriteEntry = SecretEntry | RollEntry

/** Names of the variables that a write changed, and the new revision. */
export interface Written {
  /** Names of the variables that the change created. */
  readonly created: readonly string[]
  /** Names of the variables that existed and were written. */
  readonly updated: readonly string[]
  /** Names of the variables that the change deleted. */
  readonly deleted: readonly string[]
  /** Revision of the stage; 0: the stage does not exist. */
  readonly revision: number
}

/** The stage that a request is about. */
interface InStage {
  /** Slug of the organization of the token. */
  readonly orgSlug: string
  /** Slug of the project. */
  readonly projectSlug: string
  /** Slug of the stage, an environment of the project. */
  readonly stageSlug: string
}

/** What every answer has. */
interface Answered {
  /** Id of the request. An operator finds the request in the log by it. */
  readonly requestId: string
}

/** Request and answer of each endpoint. */
interface Operations {
  /** Evaluate one variable. */
  evaluate: {
    /** Body or query of the request. */
    request: InStage & {
      /** Name of the variable, unique within the stage, case sensitive. */
      readonly name: string
      /** Type that the variable must have; absent: any. */
      readonly declaredType?: DeclaredType | undefined
      /** Seed of a deterministic roll, such as a user id; absent: empty. */
      readonly seed?: string | undefined
      /** Namespace of the seed, such as an experiment; absent: empty. */
      readonly key?: string | undefined
      /** Attributes of the user for targeting rules, which are not stored; absent: no rule matches. */
      readonly context?: Context | undefined
      /** Whether the answer tells what decided a roll; absent: it does not. */
      readonly explain?: boolean | undefined
    }
    /** Body of the answer. */
    response: EvaluatedVariable & Answered
  }
  /** Evaluate many variables in one billing event. */
  evaluateBatch: {
    /** Body or query of the request. */
    request: InStage & {
      /** Variables to evaluate. */
      readonly entries: readonly {
        /** Name of the variable, unique within the stage, case sensitive. */
        readonly name: string
        /** Type that the variable must have; absent: any. */
        readonly declaredType?: DeclaredType | undefined
        /** Seed of a deterministic roll, such as a user id; absent: empty. */
        readonly seed?: string | undefined
        /** Namespace of the seed, such as an experiment; absent: empty. */
        readonly key?: string | undefined
        /** Attributes of the user for targeting rules, which are not stored; absent: no rule matches. */
        readonly context?: Context | undefined
        /** Whether the answer tells what decided a roll; absent: it does not. */
        readonly explain?: boolean | undefined
      }[]
      /** Context of the entries without one; absent: none. */
      readonly context?: Context | undefined
    }
    /** Body of the answer. */
    response: {
      /** One result for each entry, in the same order. */
      readonly results: readonly EvaluatedVariable[]
    } & Answered
  }
  /** Evaluate every variable of a stage. */
  pull: {
    /** Body or query of the request. */
    request: InStage & {
      /** Seed of a deterministic roll, such as a user id; absent: empty. */
      readonly seed?: string | undefined
      /** Namespace of the seed, such as an experiment; absent: empty. */
      readonly key?: string | undefined
      /** Attributes of the user for targeting rules, which are not stored; absent: no rule matches. */
      readonly context?: Context | undefined
    }
    /** Body of the answer. */
    response: {
      /** Values by name. */
      readonly variables: { readonly [name: string]: string }
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** List the variables of a stage without their values. */
  list: {
    /** Body or query of the request. */
    request: InStage
    /** Body of the answer. */
    response: {
      /** Ordered by name. */
      readonly variables: readonly ListedVariable[]
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** Create, update and delete variables, all or nothing. */
  write: {
    /** Body or query of the request. */
    request: InStage & {
      /** create_only: refuses entries that exist already. */
      readonly mode: 'upsert' | 'create_only'
      /** Variables to create or update. @default [] */
      readonly entries?: readonly WriteEntry[] | undefined
      /** Names of variables to delete. @default [] */
      readonly deletes?: readonly string[] | undefined
      /** Write only if the stage is at this revision; absent: at any. */
      readonly ifRevision?: number | undefined
    }
    /** Body of the answer. */
    response: Written & Answered
  }
  /** Change chance, rules, pins or attributes of variables without sending their values, all or nothing. */
  update: {
    /** Body or query of the request. */
    request: InStage & {
      /** Variables, and what of them changes. */
      readonly updates: readonly VariableUpdate[]
      /** Change the variables only if the stage is at this revision; absent: at any. */
      readonly ifRevision?: number | undefined
    }
    /** Body of the answer. */
    response: {
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** Show the pins of a roll to a person. */
  pins: {
    /** Body or query of the request. */
    request: InStage & {
      /** Name of the variable, unique within the stage, case sensitive. */
      readonly name: string
    }
    /** Body of the answer. */
    response: {
      /** Seeds that get A, ordered by code point. */
      readonly a: readonly string[]
      /** Seeds that get B, ordered by code point. */
      readonly b: readonly string[]
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** Explain which step of a roll decides for a seed, key and context. */
  explain: {
    /** Body or query of the request. */
    request: InStage & {
      /** Name of the variable, unique within the stage, case sensitive. */
      readonly name: string
      /** Seed of a deterministic roll, such as a user id; absent: empty. */
      readonly seed?: string | undefined
      /** Namespace of the seed, such as an experiment; absent: empty. */
      readonly key?: string | undefined
      /** Attributes of the user for targeting rules, which are not stored; absent: no rule matches. */
      readonly context?: Context | undefined
    }
    /** Body of the answer. */
    response: {
      /** Name of the variable, unique within the stage, case sensitive. */
      readonly name: string
      /** Side; absent if it is random, without seed and key. */
      readonly decision?: 'a' | 'b' | undefined
      /** What decides. */
      readonly step: 'pin' | 'rule' | 'chance'
      /** Number of the targeting rule, from 1; absent if none decides. */
      readonly rule?: number | undefined
      /** Bucket of name, seed and key, at least 0 and below 1; absent if no chance decides, or if it is random. */
      readonly unit?: number | undefined
      /** Probability of value A that decides; absent if no chance decides. */
      readonly chance?: number | undefined
      /** The step for people, such as: rule 2: 0.31 < 0.5. */
      readonly text: string
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** Copy variables from another stage, all or nothing. */
  copy: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Stage to copy from. */
      readonly from: StageSlugs
      /** Stage to copy to. */
      readonly to: StageSlugs
      /** Names of variables. */
      readonly names: readonly string[]
      /** Copy only if the stage of `to` is at this revision; absent: at any. */
      readonly ifRevision?: number | undefined
      /** Copy only if the stage of `from` is at this revision; absent: at any. */
      readonly fromRevision?: number | undefined
    }
    /** Body of the answer. */
    response: Written & Answered
  }
  /** Reveal values to a person, both sides of a roll; each call is in the audit log. */
  reveal: {
    /** Body or query of the request. */
    request: InStage & {
      /** Names of variables. */
      readonly names: readonly string[]
    }
    /** Body of the answer. */
    response: {
      /** Variables with their values. */
      readonly variables: readonly RevealedEntry[]
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** Show the values of all variables that are not secret to a person, both sides of a roll. */
  plain: {
    /** Body or query of the request. */
    request: InStage
    /** Body of the answer. */
    response: {
      /** Variables whose exposure is plain or client, with their values, ordered by name. */
      readonly variables: readonly RevealedEntry[]
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** Show the metadata of a stage for type generation. */
  manifest: {
    /** Body or query of the request. */
    request: InStage
    /** Body of the answer. */
    response: {
      /** Version of this format. */
      readonly manifestVersion: 1
      /** Ordered by name. */
      readonly variables: readonly DescribedVariable[]
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** List a digest of each value, keyed per organization, to compare stages without seeing a value. */
  digests: {
    /** Body or query of the request. */
    request: InStage
    /** Body of the answer. */
    response: {
      /** Ordered by name. */
      readonly variables: readonly DigestEntry[]
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
      /** Whether digests equal only others of one variable, as the caller may not read the stage; absent if not. */
      readonly valuesHidden?: true | undefined
    } & Answered
  }
  /** Show the rolls and the variables that are not secret, for decisions inside a program. */
  ruleset: {
    /** Body or query of the request. */
    request: InStage & {
      /** Only these variables, secrets among them; absent: all rolls, and others that are not secret. */
      readonly names?: readonly string[] | undefined
    }
    /** Body of the answer. */
    response: {
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
      /** Text before each seed in the hashes of pins; empty without variables. */
      readonly salt: string
      /** Ordered by name. */
      readonly variables: readonly RulesetVariable[]
    } & Answered
  }
  /** Report how often a program decided by itself. */
  report: {
    /** Body or query of the request. */
    request: InStage & {
      /** Decisions that the program made. */
      readonly decisions: readonly ReportedDecisions[]
    }
    /** Body of the answer. */
    response: {
      /** Number of rows that were counted. */
      readonly counted: number
      /** Number of rows whose variable or roll the stage does not have. */
      readonly ignored: number
    } & Answered
  }
  /** List the changes of a stage or of a variable, with digests in place of values. */
  history: {
    /** Body or query of the request. */
    request: HistoryFilter
    /** Body of the answer. */
    response: {
      /** Newest first; all changes of a revision are included, even beyond the limit. */
      readonly changes: readonly HistoryChange[]
    } & Answered
  }
  /** Show the values of variables that are not secret before and after each change to a person. */
  plainHistory: {
    /** Body or query of the request. */
    request: HistoryFilter
    /** Body of the answer. */
    response: {
      /** The changes that env/history lists for the same request and that have values to show, in its order. */
      readonly changes: readonly {
        /** Revision of the stage; 0: the stage does not exist. */
        readonly revision: number
        /** Name of the variable, unique within the stage, case sensitive. */
        readonly name: string
        /** Values before the change; absent if there were none to show. */
        readonly before?: ValueTexts | undefined
        /** Values after the change; absent if there are none to show. */
        readonly after?: ValueTexts | undefined
      }[]
    } & Answered
  }
  /** List the latest revisions of all stages of the organization. */
  recentHistory: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Only older revisions: next of the previous answer; absent: from the newest. */
      readonly before?: number | undefined
      /** Maximum number of revisions. @default 50 */
      readonly limit?: number | undefined
    }
    /** Body of the answer. */
    response: {
      /** Newest first. */
      readonly revisions: readonly RecentRevision[]
      /** What to send as before for older revisions; absent if there are none. */
      readonly next?: number | undefined
    } & Answered
  }
  /** Restore variables, or the whole stage, to their state at an earlier revision. */
  restore: {
    /** Body or query of the request. */
    request: InStage & {
      /** Revision to go back to. */
      readonly revision: number
      /** Only these variables; absent: the whole stage. */
      readonly names?: readonly string[] | undefined
      /** Restore only if the stage is at this revision; absent: at any. */
      readonly ifRevision?: number | undefined
    }
    /** Body of the answer. */
    response: Written & Answered
  }
  /** Show how often the values of a roll were served, by hour; the last seconds may be missing. */
  rollCounts: {
    /** Body or query of the request. */
    request: InStage & {
      /** Name of the variable, unique within the stage, case sensitive. */
      readonly name: string
      /** First time, included, Unix time in milliseconds; absent: the earliest. */
      readonly fromMs?: number | undefined
      /** Last time, excluded, Unix time in milliseconds; absent: the latest. */
      readonly toMs?: number | undefined
    }
    /** Body of the answer. */
    response: {
      /** UTC hours with evaluations, earliest first. */
      readonly hours: readonly {
        /** Start of the hour, Unix time in milliseconds. */
        readonly fromMs: number
        /** How many times value A was served. */
        readonly a: number
        /** How many times value B was served. */
        readonly b: number
        /** How many of these a pin decided; absent: none. */
        readonly pins?: ServedCounts | undefined
        /** How many of these a targeting rule decided; absent: none. */
        readonly rules?: ServedCounts | undefined
        /** How many of these programs decided by themselves; absent: none. */
        readonly reported?: ServedCounts | undefined
        /** Probability of value A; absent if it changed within the hour. */
        readonly chance?: number | undefined
      }[]
    } & Answered
  }
  /** List the A/B rolls of the organization with their chances and how often each value was served. */
  rolls: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Only rolls after this one: the last of the previous answer; absent: from the first. */
      readonly after?:
        | {
            /** Slug of the project. */
            readonly projectSlug: string
            /** Slug of the stage, an environment of the project. */
            readonly stageSlug: string
            /** Name of the variable, unique within the stage, case sensitive. */
            readonly name: string
          }
        | undefined
      /** Maximum number of rolls. @default 1000 */
      readonly limit?: number | undefined
    }
    /** Body of the answer. */
    response: {
      /** Ordered by project, stage and name. */
      readonly rolls: readonly ListedRoll[]
      /** Whether there are more results. */
      readonly more: boolean
    } & Answered
  }
  /** List the audit log of the organization, newest first. */
  audit: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Only entries of this user or service token; absent: of all. */
      readonly actor?: string | undefined
      /** Only entries of this action; absent: of all. */
      readonly action?: AuditAction | undefined
      /** Only entries of this project; absent: of all. */
      readonly projectSlug?: string | undefined
      /** Only entries of stages with this slug; absent: of all. */
      readonly stageSlug?: string | undefined
      /** Only entries that name this variable; absent: all. */
      readonly name?: string | undefined
      /** First time, included, Unix time in milliseconds; absent: the earliest. */
      readonly fromMs?: number | undefined
      /** Last time, excluded, Unix time in milliseconds; absent: the latest. */
      readonly toMs?: number | undefined
      /** Only entries of a lower seq; absent: from the newest. */
      readonly before?: number | undefined
      /** Maximum number of entries. @default 100 */
      readonly limit?: number | undefined
    }
    /** Body of the answer. */
    response: {
      /** Newest first. */
      readonly entries: readonly AuditEntry[]
    } & Answered
  }
  /** Propose a change of a stage, to be reviewed and applied later. */
  changePropose: {
    /** Body or query of the request. */
    request: InStage & {
      /** Why, at most 1,000 characters. */
      readonly reason: string
      /** Variables to create or update; absent: none. */
      readonly entries?: readonly WriteEntry[] | undefined
      /** Names of variables to delete; absent: none. */
      readonly deletes?: readonly string[] | undefined
      /** Variables that change without their values; absent: none. */
      readonly updates?: readonly VariableUpdate[] | undefined
      /** Variables to copy, with the values that they have now; absent: none. */
      readonly copy?:
        | {
            /** Stage to copy from. */
            readonly from: StageSlugs
            /** Names of variables. */
            readonly names: readonly string[]
            /** Copy only if the stage of `from` is at this revision; absent: at any. */
            readonly fromRevision?: number | undefined
          }
        | undefined
      /** Variables to set to their state at an earlier revision; absent: none. */
      readonly restore?:
        | {
            /** Revision to go back to. */
            readonly revision: number
            /** Only these variables; absent: the whole stage. */
            readonly names?: readonly string[] | undefined
          }
        | undefined
      /** A roll whose chance changes step by step, or a secret that is rotated, without other content; absent: none. */
      readonly ramp?: Ramp | undefined
      /** When it is applied by itself, Unix time in milliseconds; absent: when someone applies it. */
      readonly applyAtMs?: number | undefined
      /** Named time zone in which people planned the times, such as Europe/Berlin; absent: none. */
      readonly zone?: string | undefined
      /** Propose only if the stage is at this revision; absent: at any. */
      readonly ifRevision?: number | undefined
    }
    /** Body of the answer. */
    response: Change & Answered
  }
  /** List the proposed changes of the organization, newest first. */
  changeList: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Only changes of this project; absent: of all. */
      readonly projectSlug?: string | undefined
      /** Only changes of stages with this slug; absent: of all. */
      readonly stageSlug?: string | undefined
      /** Only changes in these states; absent: in all. */
      readonly states?: readonly ChangeState[] | undefined
      /** Only changes proposed before this one; absent: from the newest. */
      readonly before?: string | undefined
      /** Maximum number of changes. @default 100 */
      readonly limit?: number | undefined
    }
    /** Body of the answer. */
    response: {
      /** Newest first. */
      readonly changes: readonly ListedChange[]
      /** Whether there are more results. */
      readonly more: boolean
    } & Answered
  }
  /** Show a proposed change, with digests in place of values that are secret, and its reviews. */
  changeShow: {
    /** Body or query of the request. */
    request: ChangeRef
    /** Body of the answer. */
    response: Change & Answered
  }
  /** Reveal proposed values to a person, both sides of a roll; each call is in the audit log. */
  changeReveal: {
    /** Body or query of the request. */
    request: InStage & {
      /** Id of the change. */
      readonly id: string
      /** Names of variables. */
      readonly names: readonly string[]
    }
    /** Body of the answer. */
    response: {
      /** Proposed variables with their values. */
      readonly variables: readonly RevealedEntry[]
    } & Answered
  }
  /** Edit a proposed change, or rebase it on the current revision; this voids its approvals. */
  changeEdit: {
    /** Body or query of the request. */
    request: InStage & {
      /** Id of the change. */
      readonly id: string
      /** Edit only if this is its digest; absent: in any case. */
      readonly digest?: string | undefined
      /** New reason; absent: as is. */
      readonly reason?: string | undefined
      /** Variables to create or update; absent: none. */
      readonly entries?: readonly WriteEntry[] | undefined
      /** Names of variables to delete; absent: none. */
      readonly deletes?: readonly string[] | undefined
      /** Variables that change without their values; absent: none. */
      readonly updates?: readonly VariableUpdate[] | undefined
      /** Variables to copy, with the values that they have now; absent: none. */
      readonly copy?:
        | {
            /** Stage to copy from. */
            readonly from: StageSlugs
            /** Names of variables. */
            readonly names: readonly string[]
            /** Copy only if the stage of `from` is at this revision; absent: at any. */
            readonly fromRevision?: number | undefined
          }
        | undefined
      /** Variables to set to their state at an earlier revision; absent: none. */
      readonly restore?:
        | {
            /** Revision to go back to. */
            readonly revision: number
            /** Only these variables; absent: the whole stage. */
            readonly names?: readonly string[] | undefined
          }
        | undefined
      /** A roll whose chance changes step by step, or a secret that is rotated, without other content; absent: none. */
      readonly ramp?: Ramp | undefined
      /** Variables whose proposed state is left out, or replaced by the new content; what it proposes for others stays; absent: new content replaces all of it. */
      readonly without?: readonly string[] | undefined
      /** Bases it on the current revision of the stage; absent: only new content in place of all does. */
      readonly rebase?: true | undefined
    }
    /** Body of the answer. */
    response: Change & Answered
  }
  /** Approve or reject a proposed change. */
  changeReview: {
    /** Body or query of the request. */
    request: InStage & {
      /** Id of the change. */
      readonly id: string
      /** Digest of everything that is proposed: values, attributes, reason, time and the revision it is based on. */
      readonly digest: string
      /** approve; reject: it is not applied unless it is edited, or you approve it. */
      readonly verdict: 'approve' | 'reject'
      /** Why, at most 1,000 characters; absent: no comment. */
      readonly comment?: string | undefined
    }
    /** Body of the answer. */
    response: Change & Answered
  }
  /** Apply a proposed change, all or nothing. */
  changeApply: {
    /** Body or query of the request. */
    request: InStage & {
      /** Id of the change. */
      readonly id: string
      /** Apply only if this is its digest; absent: in any case. */
      readonly digest?: string | undefined
      /** Why the change is applied without the approvals, or in a freeze: only who may bypass the protection; absent: it is not. */
      readonly bypass?: string | undefined
    }
    /** Body of the answer. */
    response: Written & Answered
  }
  /** Withdraw a proposed change and delete its proposed values. */
  changeWithdraw: {
    /** Body or query of the request. */
    request: ChangeRef
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Change when a proposed change is applied; this voids its approvals. */
  changeReschedule: {
    /** Body or query of the request. */
    request: InStage & {
      /** Id of the change. */
      readonly id: string
      /** Reschedule only if this is its digest; absent: in any case. */
      readonly digest?: string | undefined
      /** When it is applied by itself, Unix time in milliseconds; null: when someone applies it; absent: as is. */
      readonly applyAtMs?: (number | null) | undefined
      /** Steps of its ramp; absent: as they are. */
      readonly steps?: readonly RampStep[] | undefined
      /** Named time zone in which people planned the times, such as Europe/Berlin; null: none; absent: as is. */
      readonly zone?: (string | null) | undefined
    }
    /** Body of the answer. */
    response: Change & Answered
  }
  /** Pause a ramp: no further step is written until it is resumed. */
  changePause: {
    /** Body or query of the request. */
    request: ChangeRef
    /** Body of the answer. */
    response: Change & Answered
  }
  /** Resume a paused ramp; if it has missed a step, all further ones move by whole days. */
  changeResume: {
    /** Body or query of the request. */
    request: ChangeRef
    /** Body of the answer. */
    response: Change & Answered
  }
  /** Leave out the next step of a ramp; the further ones keep their times. */
  changeSkip: {
    /** Body or query of the request. */
    request: InStage & {
      /** Id of the change. */
      readonly id: string
      /** Skip only if this many steps are written or skipped; absent: in any case. */
      readonly stepsDone?: number | undefined
    }
    /** Body of the answer. */
    response: Change & Answered
  }
  /** End a ramp and set the chance of its roll. */
  changeAbort: {
    /** Body or query of the request. */
    request: InStage & {
      /** Id of the change. */
      readonly id: string
      /** Probability of value A from then on, from 0 to 1; in a freeze, or where changes need approval, at most what it is now. */
      readonly chance: number
    }
    /** Body of the answer. */
    response: {
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** List the projects of the organization and their stages. */
  projects: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
    }
    /** Body of the answer. */
    response: {
      /** Ordered by slug. */
      readonly projects: readonly Project[]
    } & Answered
  }
  /** Create a project, with or without stages. */
  projectCreate: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Name for people; absent: the slug. */
      readonly name?: string | undefined
      /** Stages to create with the project, in their order; absent: none. */
      readonly stages?:
        | readonly {
            /** Slug of the stage, an environment of the project. */
            readonly stageSlug: string
            /** Name for people; absent: the slug. */
            readonly name?: string | undefined
            /** Whether the stage is marked as production; absent: if its slug is prod, production or live. */
            readonly isProduction?: boolean | undefined
          }[]
        | undefined
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Rename a project, archive it or restore it from the archive. */
  projectUpdate: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Name for people; absent: as is. */
      readonly name?: string | undefined
      /** Archived: it can be evaluated but no longer written; absent: as is. */
      readonly archived?: boolean | undefined
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Create a stage without variables, at revision 1, as the last one of its project. */
  stageCreate: {
    /** Body or query of the request. */
    request: InStage & {
      /** Name for people; absent: the slug. */
      readonly name?: string | undefined
      /** Whether the stage is marked as production; absent: if its slug is prod, production or live. */
      readonly isProduction?: boolean | undefined
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Rename a stage, mark it as production, archive it or restore it from the archive. */
  stageUpdate: {
    /** Body or query of the request. */
    request: InStage & {
      /** Name for people; absent: as is. */
      readonly name?: string | undefined
      /** Archived: it can be evaluated but no longer written; absent: as is. */
      readonly archived?: boolean | undefined
      /** Whether the stage is marked as production; absent: as is. */
      readonly isProduction?: boolean | undefined
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Delete a stage with its variables, its history and the service tokens that are limited to it. */
  stageDelete: {
    /** Body or query of the request. */
    request: InStage & {
      /** The slug again. */
      readonly confirm: string
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Delete a project with its stages, its data keys and the service tokens that are limited to it. */
  projectDelete: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** The slug again. */
      readonly confirm: string
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Set the order of the stages of a project. */
  stageOrder: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** All stages of the project, also the archived ones, in their new order. */
      readonly stageSlugs: readonly string[]
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** List what a project expects of its variables. */
  declarationList: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
    }
    /** Body of the answer. */
    response: {
      /** Ordered by name. */
      readonly declarations: readonly ListedDeclaration[]
    } & Answered
  }
  /** Declare variables of a project, or replace their declarations. */
  declarationSet: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Declarations, each as a whole. */
      readonly declarations: readonly Declaration[]
    }
    /** Body of the answer. */
    response: DeclarationChanges & Answered
  }
  /** Delete declarations of a project, and none of its variables. */
  declarationDelete: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Names of variables. */
      readonly names: readonly string[]
    }
    /** Body of the answer. */
    response: DeclarationChanges & Answered
  }
  /** Return the declarations of a project as a JSON Schema. */
  declarationDocument: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
    }
    /** Body of the answer. */
    response: {
      /** JSON Schema (draft 2020-12) with the variables as properties, and in x-rollkey what it has no keyword for. */
      readonly document: DeclarationsDocument
    } & Answered
  }
  /** Replace all declarations of a project by a JSON Schema. */
  declarationReplace: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** JSON Schema (draft 2020-12) with the variables as properties, and in x-rollkey what it has no keyword for. */
      readonly document: DeclarationsDocument
    }
    /** Body of the answer. */
    response: DeclarationChanges & Answered
  }
  /** Compare a stage with what its project expects. */
  declarationCheck: {
    /** Body or query of the request. */
    request: InStage & {
      /** Declarations to compare with; absent: those of the project. */
      readonly document?: DeclarationsDocument | undefined
    }
    /** Body of the answer. */
    response: {
      /** Ordered by name. */
      readonly problems: readonly DeclarationProblem[]
      /** Whether values were compared too; false: the caller may not read them, or only after a confirmation. */
      readonly valuesChecked: boolean
      /** Number of declarations that the stage was compared with. */
      readonly declared: number
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** Show the settings of the organization and its plan. */
  organization: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
    }
    /** Body of the answer. */
    response: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Name for people. */
      readonly name: string
      /** Whether a write creates the project and the stage that it names. */
      readonly createsOnWrite: boolean
      /** What every member may do in the whole organization. */
      readonly defaultRole: 'developer' | 'viewer' | 'none'
      /** Plan of the organization. */
      readonly plan: Plan
    } & Answered
  }
  /** Change the settings of the organization. */
  organizationUpdate: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Whether a write creates the project and the stage that it names; absent: as is. */
      readonly createsOnWrite?: boolean | undefined
      /** What every member may do in the whole organization; absent: as is. */
      readonly defaultRole?: 'developer' | 'viewer' | 'none' | undefined
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** List the members of the organization. */
  organizationMembers: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
    }
    /** Body of the answer. */
    response: {
      /** Ordered by email; none if an external identity provider keeps them. */
      readonly members: readonly Member[]
      /** Whether an external identity provider keeps the members. */
      readonly isExternal: boolean
    } & Answered
  }
  /** Show how members of the organization must sign in. */
  signInRules: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
    }
    /** Body of the answer. */
    response: {
      /** Whether only a sign-in at a company opens the organization. */
      readonly isCompanyOnly: boolean
      /** Ordered by id; empty if not company-only. */
      readonly breakGlass: readonly string[]
      /** Whether only a passkey, a password with a second factor or a sign-in at a company opens the organization. */
      readonly needsSecondFactor: boolean
      /** Companies whose people join this organization by themselves, as the operator has set up. */
      readonly joining: readonly {
        /** Name of the company for people. */
        readonly label: string
        /** Domains whose people join; empty: any. */
        readonly domains: readonly string[]
        /** Tenants of Microsoft Entra whose people join; empty: any. */
        readonly tenants: readonly string[]
        /** Role of those who join. */
        readonly role: 'member' | 'admin' | 'owner'
      }[]
    } & Answered
  }
  /** Require that members sign in at their company or with a second factor, or end that. */
  signInRulesSet: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Whether only a sign-in at a company opens the organization; absent: as is, with its exceptions. */
      readonly isCompanyOnly?: boolean | undefined
      /** Whether a sign-in needs a second factor; the caller must have one; absent: as is. */
      readonly needsSecondFactor?: boolean | undefined
      /** Owners who may still sign in with a password or passkey; required with isCompanyOnly, so that no failure of the company locks everyone out. @default [] */
      readonly breakGlass?: readonly string[] | undefined
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Delete the organization with its projects, credentials and, at the embedded identity provider, members. */
  organizationDelete: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** The slug again. */
      readonly confirm: string
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Show the usage of the organization by month, day and stage, and the limits of its plan. */
  usage: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Number of months. @default 12 */
      readonly months?: number | undefined
      /** Number of UTC days that days covers, today included; absent: this month and the last one. */
      readonly days?: number | undefined
    }
    /** Body of the answer. */
    response: {
      /** The latest months, oldest first, including those without evaluations. */
      readonly months: readonly {
        /** YYYY-MM, UTC. */
        readonly month: string
        /** Number of billing events. */
        readonly evaluations: number
      }[]
      /** Those of the days asked for that had evaluations or reported decisions, by day and stage, the oldest first. */
      readonly days: readonly {
        /** YYYY-MM-DD, UTC. */
        readonly day: string
        /** Slug of the project; absent for pulls of a stage that did not exist. */
        readonly projectSlug?: string | undefined
        /** Slug of the stage; absent for pulls of a stage that did not exist. */
        readonly stageSlug?: string | undefined
        /** Number of billing events. */
        readonly evaluations: number
        /** Number of decisions that programs made by themselves and reported, never billed; absent: none. */
        readonly reported?: number | undefined
      }[]
      /** What is stored. */
      readonly storage: {
        /** Size of all sealed values, in bytes. */
        readonly bytes: number
        /** Stages with variables, ordered by slugs. */
        readonly byStage: readonly {
          /** Slug of the project. */
          readonly projectSlug: string
          /** Slug of the stage, an environment of the project. */
          readonly stageSlug: string
          /** Size of its sealed values, in bytes. */
          readonly bytes: number
        }[]
      }
      /** Plan of the organization. */
      readonly plan: Plan
    } & Answered
  }
  /** Show the number of evaluations by caller and stage, over UTC days of the last 400. */
  usageCallers: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** First UTC day: YYYY-MM-DD. */
      readonly from: string
      /** Last UTC day, included. */
      readonly to: string
    }
    /** Body of the answer. */
    response: {
      /** Callers with the most evaluations first. */
      readonly callers: readonly CallerUsage[]
      /** Whether there are more results. */
      readonly more: boolean
    } & Answered
  }
  /** List what is missing in production, what should be rotated, service tokens that expire soon, and rolls that do not fit their chance. */
  attention: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
    }
    /** Body of the answer. */
    response: {
      /** Stages marked as production that lack variables, without archived ones and those that have none yet; by project, in its order. */
      readonly missing: readonly {
        /** Slug of the project. */
        readonly projectSlug: string
        /** Slug of the stage, an environment of the project. */
        readonly stageSlug: string
        /** Number of variables that this stage lacks and that another stage of the project has or a declaration requires here, without those that an open change proposes for it. */
        readonly count: number
        /** The first of them by name. */
        readonly names: readonly string[]
      }[]
      /** Stages, without archived ones, with variables whose declared time without another value is over. */
      readonly overdue: readonly {
        /** Slug of the project. */
        readonly projectSlug: string
        /** Slug of the stage, an environment of the project. */
        readonly stageSlug: string
        /** Number of variables that should have got another value. */
        readonly count: number
        /** The first of them by name. */
        readonly names: readonly string[]
      }[]
      /** Service tokens that expire within 14 days, the first first; absent unless the caller may list them. */
      readonly expiringTokens?:
        | readonly {
            /** Id of the service token. */
            readonly id: string
            /** What the token is for. */
            readonly name: string
            /** When it expires, Unix time in milliseconds. */
            readonly expiresAtMs: number
          }[]
        | undefined
      /** Rolls whose served split deviates from their chance; in the order of rolls. */
      readonly misfits: readonly {
        /** Slug of the project. */
        readonly projectSlug: string
        /** Slug of the stage, an environment of the project. */
        readonly stageSlug: string
        /** Name of the variable, unique within the stage, case sensitive. */
        readonly name: string
      }[]
      /** What is wrong with the replica of the installation; absent for others than owners, and while it lacks nothing for longer than a minute. */
      readonly replica?:
        | {
            /** How long it has lacked its earliest missing change, in milliseconds; absent: it lacks none. */
            readonly lagMs?: number | undefined
            /** Whether another service has become its writer, so that this one is not in it. */
            readonly isReplaced: boolean
          }
        | undefined
    } & Answered
  }
  /** Find variables by a part of their name in all projects that are not archived. */
  search: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Part of the name, ignoring case. */
      readonly query: string
      /** Maximum number of variables. @default 200 */
      readonly limit?: number | undefined
    }
    /** Body of the answer. */
    response: {
      /** Ordered by name, project and stage. */
      readonly variables: readonly {
        /** Name of the variable, unique within the stage, case sensitive. */
        readonly name: string
        /** Kind of the variable. */
        readonly kind: Kind
        /** Type that the value, a string on the wire, parses as; absent: string. */
        readonly declaredType?: DeclaredType | undefined
        /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; absent: secret. */
        readonly exposure?: Exposure | undefined
        /** What the variable is for, at most 1,000 characters; absent: none. */
        readonly description?: string | undefined
        /** Slug of the project. */
        readonly projectSlug: string
        /** Slug of the stage, an environment of the project. */
        readonly stageSlug: string
      }[]
      /** Whether there are more results. */
      readonly more: boolean
    } & Answered
  }
  /** Receive new revisions of the stages of a project as server-sent events. */
  events: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** What was received so far: the id of the last event, or revisions such as dev:12,prod:7; absent: all current ones. */
      readonly since?: string | undefined
    }
    /** Data of each event. */
    response: {
      /** Stage that changed; absent: any stage may have changed, so read all of them again. */
      readonly stageSlug?: string | undefined
      /** Revision of the stage; absent: any stage may have changed. */
      readonly revision?: number | undefined
      /** Variables that the revision changed; absent: read the whole stage again. */
      readonly names?: readonly string[] | undefined
    }
  }
  /** List the grants on a place, within it and around it, and the default role of members. */
  accessList: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project; absent: the whole organization. */
      readonly projectSlug?: string | undefined
      /** Slug of the stage; absent: the whole project. */
      readonly stageSlug?: string | undefined
    }
    /** Body of the answer. */
    response: {
      /** What every member may do in the whole organization. */
      readonly defaultRole: 'developer' | 'viewer' | 'none'
      /** Ordered by place and principal; those that have expired are left out. */
      readonly grants: readonly Grant[]
      /** Protected stages at the place or within it, ordered by slugs. */
      readonly protectedStages: readonly {
        /** Slug of the project. */
        readonly projectSlug: string
        /** Slug of the stage, an environment of the project. */
        readonly stageSlug: string
      }[]
    } & Answered
  }
  /** Grant a person, a group, a service token or a trust a role at a place. */
  accessGrant: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** A person, a group, a service token or a trust. */
      readonly principal: Principal
      /** Slug of the project; absent: the whole organization. */
      readonly projectSlug?: string | undefined
      /** Slug of the stage; absent: the whole project. */
      readonly stageSlug?: string | undefined
      /** Role: a built-in one, or one that the organization has added. */
      readonly role: string
      /** When the grant ends, Unix time in milliseconds; absent: never. */
      readonly expiresAtMs?: number | undefined
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Revoke the role that a principal was granted at a place. */
  accessRevoke: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** A person, a group, a service token or a trust. */
      readonly principal: Principal
      /** Slug of the project; absent: the whole organization. */
      readonly projectSlug?: string | undefined
      /** Slug of the stage; absent: the whole project. */
      readonly stageSlug?: string | undefined
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Explain what a person, a group, a service token or a trust may do at a place, and why. */
  accessExplain: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Person, group, service token or trust; absent: yourself. */
      readonly principal?: Principal | undefined
      /** Slug of the project; absent: the whole organization. */
      readonly projectSlug?: string | undefined
      /** Slug of the stage; absent: the whole project. */
      readonly stageSlug?: string | undefined
    }
    /** Body of the answer. */
    response: {
      /** What is allowed: list, read, write, approve, manage, in this order. */
      readonly verbs: readonly Verb[]
      /** Whether the place is a protected stage. */
      readonly isProtected: boolean
      /** Everything that applies to the place. */
      readonly sources: readonly AccessSource[]
    } & Answered
  }
  /** Show who could read a stage, or do something else with it, now or at an earlier time. */
  accessHolders: {
    /** Body or query of the request. */
    request: InStage & {
      /** What they could do. @default "read" */
      readonly verb?: Verb | undefined
      /** Time, Unix time in milliseconds; absent: now. */
      readonly atMs?: number | undefined
    }
    /** Body of the answer. */
    response: {
      /** The time that the answer is about, Unix time in milliseconds. */
      readonly atMs: number
      /** Whether the stage was protected. */
      readonly isProtected: boolean
      /** Whether every member had the verb, by the default role. */
      readonly members: boolean
      /** Everyone else who had it, once for each grant. */
      readonly holders: readonly AccessHolder[]
    } & Answered
  }
  /** List the groups that matter where the caller manages, and their members. */
  groups: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
    }
    /** Body of the answer. */
    response: {
      /** Ordered by name. */
      readonly groups: readonly Group[]
    } & Answered
  }
  /** Create a group of people. */
  groupCreate: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Name of the group, unique within the organization. */
      readonly name: string
      /** Group at the identity provider, whose people become the members; absent: the members are kept here. */
      readonly idpGroup?: string | undefined
    }
    /** Body of the answer. */
    response: {
      /** Id of the group. */
      readonly id: string
    } & Answered
  }
  /** Rename a group, or let it stand for a group of the identity provider. */
  groupUpdate: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Id of the group. */
      readonly id: string
      /** New name; absent: as it is. */
      readonly name?: string | undefined
      /** Group at the identity provider; null: keep the members here from now on; absent: as it is. */
      readonly idpGroup?: (string | null) | undefined
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Delete a group; its members lose what was granted to it. */
  groupDelete: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Id of the group. */
      readonly id: string
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Add people to a group and remove people from it, all or nothing. */
  groupMembers: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Id of the group. */
      readonly id: string
      /** People to add. @default [] */
      readonly add?: readonly GroupMember[] | undefined
      /** People to remove. @default [] */
      readonly remove?: readonly GroupMember[] | undefined
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** List the built-in roles and those that the organization has added. */
  roles: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
    }
    /** Body of the answer. */
    response: {
      /** The built-in ones first, then by name. */
      readonly roles: readonly Role[]
    } & Answered
  }
  /** Add a role to the organization, or change what a role allows. */
  roleSet: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Name of a role that the organization has added. */
      readonly name: string
      /** What is allowed: list, read, write, approve, manage, in this order. */
      readonly verbs: readonly Verb[]
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Delete a role that the organization has added. */
  roleDelete: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Name of a role that the organization has added. */
      readonly name: string
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Protect a stage from access that was granted around it, or end the protection; shows who loses access. */
  stageProtect: {
    /** Body or query of the request. */
    request: InStage & {
      /** Whether the stage is protected. */
      readonly isProtected: boolean
      /** Number of people who must approve a change, 0 to 10; 0: writes need no approval; absent: as is. */
      readonly approvals?: number | undefined
      /** Whether the one who proposed a change can be one of them; absent: as is. */
      readonly selfApproval?: boolean | undefined
      /** Role whose verbs at the stage let a person apply a change without approvals, with a reason; null: no one may; absent: as is. */
      readonly bypassRole?: (string | null) | undefined
      /** Verb that lets people and machines stop a roll without approval, also in a freeze; absent: as is. */
      readonly stopVerb?: 'write' | 'approve' | 'manage' | undefined
      /** Times at which the stage does not change, at most 20; absent: as is. */
      readonly freezes?: readonly FreezeWindow[] | undefined
      /** Whether to change nothing and only show who would lose access. @default false */
      readonly dryRun?: boolean | undefined
    }
    /** Body of the answer. */
    response: {
      /** Those who lose verbs on the stage; people of a group are not listed one by one. */
      readonly losing: readonly LostAccess[]
    } & Answered
  }
  /** Show the owner and the rights of the credential. */
  whoami: {
    /** Body or query of the request. */
    request: {}
    /** Body of the answer. */
    response: {
      /** Kind of credential; service: a service token or a token of a trust. */
      readonly credential: 'provider' | 'session' | 'service'
      /** Id of the organization. */
      readonly orgId: string
      /** Slug of the organization. */
      readonly orgSlug: string
      /** Id of the user at the identity provider; absent for a machine. */
      readonly idpUserId?: string | undefined
      /** Role of the member; absent for a machine. */
      readonly role?: 'member' | 'admin' | 'owner' | undefined
      /** Name of the person; absent unless the embedded provider stores the account. */
      readonly name?: string | undefined
      /** Email of the person; absent unless the embedded provider stores the account. */
      readonly email?: string | undefined
      /** The service token; absent for people and for a token of a trust. */
      readonly serviceToken?: ServiceToken | undefined
      /** The trust whose token it is; absent for other credentials. */
      readonly trust?:
        | {
            /** Id of the trust. */
            readonly id: string
            /** What the trust is for. */
            readonly name: string
            /** The only project in its scope; absent: all. */
            readonly projectSlug?: string | undefined
            /** The only stage in its scope; absent: all. */
            readonly stageSlug?: string | undefined
            /** What it may do within its scope. */
            readonly role: MachineRole
            /** Whether it may read the history and, unless it is read-only, restore. */
            readonly history: boolean
            /** When the token expires, Unix time in milliseconds. */
            readonly expiresAtMs: number
          }
        | undefined
      /** What the credential may do: in the organization first, then at each project and stage where that differs from what is around it. */
      readonly verbs: readonly {
        /** Slug of the project; absent: the organization. */
        readonly projectSlug?: string | undefined
        /** Slug of the stage; absent: the whole project. */
        readonly stageSlug?: string | undefined
        /** What is allowed: list, read, write, approve, manage, in this order. */
        readonly verbs: readonly Verb[]
      }[]
    } & Answered
  }
  /** Create a service token; only this answer contains it. */
  tokenCreate: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** What the token is for. */
      readonly name: string
      /** The only project in its scope; absent: all. */
      readonly projectSlug?: string | undefined
      /** The only stage in its scope; absent: all. */
      readonly stageSlug?: string | undefined
      /** What it may do within its scope; absent: reader with readOnly, otherwise developer. */
      readonly role?: MachineRole | undefined
      /** Whether it may not write; not together with role; absent: no. */
      readonly readOnly?: boolean | undefined
      /** Whether it may read the history and restore. @default false */
      readonly history?: boolean | undefined
      /** Lifetime in days; absent: 365, or the longest that the operator allows if that is less. */
      readonly expiresInDays?: number | undefined
    }
    /** Body of the answer. */
    response: {
      /** Id of the service token. */
      readonly id: string
      /** What the token is for. */
      readonly name: string
      /** The only project in its scope; absent: all. */
      readonly projectSlug?: string | undefined
      /** The only stage in its scope; absent: all. */
      readonly stageSlug?: string | undefined
      /** What it may do within its scope. */
      readonly role: MachineRole
      /** Whether it may not write. */
      readonly readOnly: boolean
      /** Whether it may read the history and, unless it is read-only, restore. */
      readonly history: boolean
      /** Id of the user who created it at the identity provider, or operator. */
      readonly createdBy: string
      /** When it was created, Unix time in milliseconds. */
      readonly createdAtMs: number
      /** When it expires, Unix time in milliseconds. */
      readonly expiresAtMs: number
      /** When it was last used, Unix time in milliseconds, give or take some seconds; absent: never. */
      readonly lastUsedAtMs?: number | undefined
      /** The service token: svc_st_…. */
      readonly token: string
    } & Answered
  }
  /** List the service tokens of the organization that are neither revoked nor expired. */
  tokenList: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
    }
    /** Body of the answer. */
    response: {
      /** Oldest first. */
      readonly tokens: readonly ListedServiceToken[]
    } & Answered
  }
  /** Replace the secret of a service token; only this answer contains the new one. */
  tokenRotate: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Id of the service token. */
      readonly id: string
      /** How long the former token keeps working, in hours. @default 24 */
      readonly overlapHours?: number | undefined
      /** Lifetime in days; absent: 365, or the longest that the operator allows if that is less. */
      readonly expiresInDays?: number | undefined
    }
    /** Body of the answer. */
    response: {
      /** Id of the service token. */
      readonly id: string
      /** What the token is for. */
      readonly name: string
      /** The only project in its scope; absent: all. */
      readonly projectSlug?: string | undefined
      /** The only stage in its scope; absent: all. */
      readonly stageSlug?: string | undefined
      /** What it may do within its scope. */
      readonly role: MachineRole
      /** Whether it may not write. */
      readonly readOnly: boolean
      /** Whether it may read the history and, unless it is read-only, restore. */
      readonly history: boolean
      /** Id of the user who created it at the identity provider, or operator. */
      readonly createdBy: string
      /** When it was created, Unix time in milliseconds. */
      readonly createdAtMs: number
      /** When it expires, Unix time in milliseconds. */
      readonly expiresAtMs: number
      /** When it was last used, Unix time in milliseconds, give or take some seconds; absent: never. */
      readonly lastUsedAtMs?: number | undefined
      /** The service token: svc_st_…. */
      readonly token: string
      /** When the former token ends, Unix time in milliseconds. */
      readonly formerExpiresAtMs: number
    } & Answered
  }
  /** Revoke a service token at once. */
  tokenRevoke: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Id of the service token. */
      readonly id: string
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Trust the tokens of an issuer that have certain claims. */
  trustCreate: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** What the trust is for. */
      readonly name: string
      /** Issuer of the tokens, exactly as their claim iss. */
      readonly issuer: string
      /** Audience that tokens must name; absent: the public URL of the service. */
      readonly audience?: string | undefined
      /** Claims that a token must have, 1 to 20. */
      readonly claims: readonly Claim[]
      /** Whether runs for proposed changes get tokens; absent: no. */
      readonly forks?: boolean | undefined
      /** Public keys, as a JSON Web Key Set; absent: those of a known issuer. */
      readonly jwks?: string | undefined
      /** The only project in its scope; absent: all. */
      readonly projectSlug?: string | undefined
      /** The only stage in its scope; absent: all. */
      readonly stageSlug?: string | undefined
      /** What its tokens may do within the scope. */
      readonly role: MachineRole
      /** Whether it may read the history and, unless it is read-only, restore. @default false */
      readonly history?: boolean | undefined
      /** Lifetime of the access tokens, in seconds. @default 900 */
      readonly lifetimeSeconds?: number | undefined
    }
    /** Body of the answer. */
    response: Trust & Answered
  }
  /** List the trusts of the organization. */
  trustList: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
    }
    /** Body of the answer. */
    response: {
      /** Oldest first. */
      readonly trusts: readonly Trust[]
    } & Answered
  }
  /** Change a trust and end its tokens. */
  trustUpdate: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Id of the trust. */
      readonly id: string
      /** New name; absent: unchanged. */
      readonly name?: string | undefined
      /** New issuer; absent: unchanged. */
      readonly issuer?: string | undefined
      /** New audience; absent: unchanged. */
      readonly audience?: string | undefined
      /** All claims that a token must have from now on; absent: unchanged. */
      readonly claims?: readonly Claim[] | undefined
      /** New role; absent: unchanged. */
      readonly role?: MachineRole | undefined
      /** Whether its tokens may read the history and restore; absent: unchanged. */
      readonly history?: boolean | undefined
      /** New lifetime of the access tokens, in seconds; absent: unchanged. */
      readonly lifetimeSeconds?: number | undefined
      /** Whether runs for proposed changes get tokens; absent: unchanged. */
      readonly forks?: boolean | undefined
      /** New public keys, as a JSON Web Key Set; null: those of the issuer; absent: unchanged. */
      readonly jwks?: (string | null) | undefined
    }
    /** Body of the answer. */
    response: Trust & Answered
  }
  /** Delete a trust and end its tokens. */
  trustDelete: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Id of the trust. */
      readonly id: string
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Show what of a token a trust accepts, claim by claim. */
  trustTest: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Token of the other service, a JWT. */
      readonly token: string
      /** Id of a trust; absent: the rules in trust. */
      readonly id?: string | undefined
      /** Rules of a trust that does not exist yet; absent: the trust with id. */
      readonly trust?:
        | {
            /** Issuer of the tokens, exactly as their claim iss. */
            readonly issuer: string
            /** Audience that tokens must name; absent: the public URL of the service. */
            readonly audience?: string | undefined
            /** Claims that a token must have, 1 to 20. */
            readonly claims: readonly Claim[]
            /** Whether runs for proposed changes get tokens; absent: no. */
            readonly forks?: boolean | undefined
            /** Public keys, as a JSON Web Key Set; absent: those of a known issuer. */
            readonly jwks?: string | undefined
          }
        | undefined
    }
    /** Body of the answer. */
    response: {
      /** Whether the token could be exchanged now. */
      readonly accepted: boolean
      /** The first reason against it, as a sentence; absent: it is accepted. */
      readonly problem?: string | undefined
      /** unavailable: the keys of the issuer cannot be fetched at the moment; unreadable: it is not a JWT that the service reads. */
      readonly signature: 'valid' | 'invalid' | 'unavailable' | 'unreadable'
      /** The claim iss. */
      readonly issuer: TrustComparison
      /** The claim aud. */
      readonly audience: TrustComparison
      /** When the token is valid. */
      readonly times: {
        /** The claim iat, Unix time in milliseconds; absent: none. */
        readonly issuedAtMs?: number | undefined
        /** The claim nbf, Unix time in milliseconds; absent: none. */
        readonly notBeforeMs?: number | undefined
        /** The claim exp, Unix time in milliseconds; absent: none. */
        readonly expiresAtMs?: number | undefined
        /** Whether the token is valid now and at most a day old. */
        readonly matches: boolean
      }
      /** Whether anyone could have caused the run. */
      readonly proposedChange: {
        /** Whether it is of a run for a pull request, or for a merge request from a fork. */
        readonly actual: boolean
        /** Whether the trust accepts it in this respect. */
        readonly matches: boolean
      }
      /** The claims of the trust, in its order. */
      readonly claims: readonly {
        /** What the trust requires. */
        readonly expected: string
        /** What the token has; other values than texts as JSON; absent: nothing. */
        readonly actual?: string | undefined
        /** Whether the token is what the trust requires. */
        readonly matches: boolean
        /** Name of the claim, or the path of a nested one with dots. */
        readonly name: string
      }[]
    } & Answered
  }
  /** Create a client key, with which public programs evaluate the variables of a stage that are exposed to them. */
  keyCreate: {
    /** Body or query of the request. */
    request: InStage & {
      /** What the client key is for. */
      readonly name: string
      /** Origins whose web pages may use the key; * alone: all; empty: no web page, only apps. */
      readonly origins: readonly string[]
      /** Evaluations of a UTC month after which it is refused; absent: as many as the operator sets. */
      readonly evaluationsPerMonth?: number | undefined
    }
    /** Body of the answer. */
    response: ClientKey & Answered
  }
  /** List the client keys of the organization that are not revoked. */
  keyList: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
    }
    /** Body of the answer. */
    response: {
      /** Oldest first. */
      readonly keys: readonly ListedClientKey[]
    } & Answered
  }
  /** Revoke a client key at once. */
  keyRevoke: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Id of the client key. */
      readonly id: string
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Create a webhook, which receives what happens from now on. */
  hookCreate: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** What the webhook is for. */
      readonly name: string
      /** Where to send: https, at a public address. */
      readonly url: string
      /** standard: signed JSON (Standard Webhooks); the others: a message for people in that chat. @default "standard" */
      readonly format?: 'standard' | 'slack' | 'mattermost' | 'discord' | 'teams' | undefined
      /** Types of events that it receives; absent or empty: all. @default [] */
      readonly events?: readonly HookFilter[] | undefined
      /** The project or stage whose events it receives; absent: those of the whole organization. */
      readonly within?: HookPlace | undefined
    }
    /** Body of the answer. */
    response: NewHook & Answered
  }
  /** List the webhooks of the organization. */
  hookList: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
    }
    /** Body of the answer. */
    response: {
      /** Oldest first. */
      readonly hooks: readonly Hook[]
    } & Answered
  }
  /** Change a webhook, or switch it off or on. */
  hookUpdate: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Id of the webhook. */
      readonly id: string
      /** New name; absent: unchanged. */
      readonly name?: string | undefined
      /** New URL; absent: unchanged. */
      readonly url?: string | undefined
      /** Types of events that it receives from now on; empty: all; absent: unchanged. */
      readonly events?: readonly HookFilter[] | undefined
      /** Whether it receives what happens; absent: unchanged. */
      readonly isOn?: boolean | undefined
    }
    /** Body of the answer. */
    response: Hook & Answered
  }
  /** Replace the signing secret of a webhook; the former one signs for another day. */
  hookRotate: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Id of the webhook. */
      readonly id: string
    }
    /** Body of the answer. */
    response: {
      /** Signing secret of Standard Webhooks: whsec_ and base64. */
      readonly secret: string
    } & Answered
  }
  /** Delete a webhook. */
  hookDelete: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Id of the webhook. */
      readonly id: string
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Send a test to a webhook, and return what it answered. */
  hookTest: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Id of the webhook. */
      readonly id: string
    }
    /** Body of the answer. */
    response: HookDelivery & Answered
  }
  /** List the last messages that were sent to a webhook. */
  hookDeliveries: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Id of the webhook. */
      readonly id: string
    }
    /** Body of the answer. */
    response: {
      /** The last 100, newest first. */
      readonly deliveries: readonly HookDelivery[]
    } & Answered
  }
  /** Send one of the last messages of a webhook again, and return what it answered. */
  hookRedeliver: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Id of the webhook. */
      readonly id: string
      /** Id of the message. */
      readonly eventId: string
    }
    /** Body of the answer. */
    response: HookDelivery & Answered
  }
  /** Start the login of a command-line client. */
  deviceStart: {
    /** Body or query of the request. */
    request: {
      /** Name shown in the browser during approval; absent: none. */
      readonly clientName?: string | undefined
    }
    /** Body of the answer. */
    response: {
      /** Code for the polls of the client, which stays secret. */
      readonly deviceCode: string
      /** Code for the person: 8 upper-case letters and digits. */
      readonly userCode: string
      /** How long both codes are valid, in seconds. */
      readonly expiresInSec: 600
      /** Interval between two polls, in seconds. */
      readonly intervalSec: 5
      /** Address of the approval page. */
      readonly verificationUri: string
      /** Address of the approval page with the user code. */
      readonly verificationUriComplete: string
    } & Answered
  }
  /** Approve the login of a command-line client. */
  deviceComplete: {
    /** Body or query of the request. */
    request: {
      /** Code that the person has from the client: 8 upper-case letters and digits. */
      readonly userCode: string
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Show a waiting login before the decision on it. */
  deviceShow: {
    /** Body or query of the request. */
    request: {
      /** Code that the person has from the client: 8 upper-case letters and digits. */
      readonly userCode: string
    }
    /** Body of the answer. */
    response: {
      /** Name of the client; absent if it gave none. */
      readonly clientName?: string | undefined
      /** When the login started, Unix time in milliseconds. */
      readonly requestedAtMs: number
      /** When the codes expire, Unix time in milliseconds. */
      readonly expiresAtMs: number
      /** Organization of the session after an approval. */
      readonly orgSlug: string
    } & Answered
  }
  /** Refuse the login of a command-line client. */
  deviceDeny: {
    /** Body or query of the request. */
    request: {
      /** Code that the person has from the client: 8 upper-case letters and digits. */
      readonly userCode: string
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Poll whether the login was approved; the first answer after the approval contains the tokens. */
  devicePoll: {
    /** Body or query of the request. */
    request: {
      /** Device code of the login. */
      readonly deviceCode: string
    }
    /** Body of the answer. */
    response: (
      | {
          /** No one has decided yet. */
          readonly status: 'pending'
        }
      | {
          /** Token for requests: svc_at_…. */
          readonly accessToken: string
          /** Token for the next refresh, which works once. */
          readonly refreshToken: string
          /** When the access token expires, Unix time in milliseconds. */
          readonly accessTokenExpiresAtMs: number
          /** When the refresh token expires, Unix time in milliseconds. */
          readonly refreshTokenExpiresAtMs: number
          /** A person has approved the login. */
          readonly status: 'approved'
        }
    ) &
      Answered
  }
  /** Exchange a refresh token, which works once, for a new token pair. */
  tokenRefresh: {
    /** Body or query of the request. */
    request: {
      /** Refresh token of the session. */
      readonly refreshToken: string
    }
    /** Body of the answer. */
    response: {
      /** Token for requests: svc_at_…. */
      readonly accessToken: string
      /** Token for the next refresh, which works once. */
      readonly refreshToken: string
      /** When the access token expires, Unix time in milliseconds. */
      readonly accessTokenExpiresAtMs: number
      /** When the refresh token expires, Unix time in milliseconds. */
      readonly refreshTokenExpiresAtMs: number
    } & Answered
  }
  /** End the session that a refresh token belongs to. */
  logout: {
    /** Body or query of the request. */
    request: {
      /** Refresh token of the session. */
      readonly refreshToken: string
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** List the usable sessions of command-line clients, latest used first. */
  sessionList: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Sessions of the whole organization, not only your own; for owners and admins. @default false */
      readonly everyone?: boolean | undefined
    }
    /** Body of the answer. */
    response: {
      /** Latest used first. */
      readonly sessions: readonly Session[]
    } & Answered
  }
  /** End a session at once: your own or, as an owner or admin, any of the organization. */
  sessionRevoke: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Id of the session. */
      readonly id: string
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Confirm that one of your command-line sessions is you, for 15 minutes. */
  sessionConfirm: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Id of the session. */
      readonly id: string
    }
    /** Body of the answer. */
    response: Ok & Answered
  }
  /** Show the session of the access token. */
  session: {
    /** Body or query of the request. */
    request: {}
    /** Body of the answer. */
    response: {
      /** Id of the user at the identity provider. */
      readonly idpUserId: string
      /** Id of the organization. */
      readonly orgId: string
      /** Slug of the organization. */
      readonly orgSlug: string
      /** When the access token expires, Unix time in milliseconds. */
      readonly accessTokenExpiresAtMs: number
      /** When the refresh token expires, Unix time in milliseconds. */
      readonly refreshTokenExpiresAtMs: number
      /** When the session was last used, Unix time in milliseconds, give or take some seconds. */
      readonly lastUsedAtMs: number
    } & Answered
  }
  /** Show how people sign in to the web application. */
  webSettings: {
    /** Body or query of the request. */
    request: {}
    /** Body of the answer. */
    response: (
      | {
          /** The service signs people in. */
          readonly provider: 'embedded'
          /** Address at which people reach the service. */
          readonly publicUrl: string
          /** Who may create an account. */
          readonly signUp: 'invitation' | 'open'
          /** Whether passkeys work at the public URL. */
          readonly passkeys: boolean
          /** OpenID providers at which people can sign in. */
          readonly companies: readonly {
            /** Name of the provider in settings and addresses. */
            readonly name: string
            /** Name that people see. */
            readonly label: string
            /** Whether the provider reports the groups of people, so that groups can stand for them. */
            readonly groups: boolean
          }[]
          /** Whether there is an account; otherwise the setup link creates the first one. */
          readonly isSetUp: boolean
          /** Whether people can have a link mailed that sets a new password; absent: no. */
          readonly mailsResets?: boolean | undefined
          /** Whether this is a demo, whose data is lost when the service stops; absent: no. */
          readonly isDemo?: boolean | undefined
        }
      | {
          /** An external OpenID provider signs people in. */
          readonly provider: 'external'
          /** Address at which people reach the service. */
          readonly publicUrl: string
          /** Whether the web application is configured as a client of the provider. */
          readonly signIn: boolean
          /** Whether the provider reports the groups of people, so that groups can stand for them. */
          readonly groups: boolean
        }
    ) &
      Answered
  }
  /** Start a sign-in at the external provider; the answer has the address for the browser. */
  webSignIn: {
    /** Body or query of the request. */
    request: {
      /** Whether the person must have signed in recently; absent: no. */
      readonly confirm?: boolean | undefined
    }
    /** Body of the answer. */
    response: {
      /** Address of the provider for the browser. */
      readonly url: string
      /** State of the authorization request. */
      readonly state: string
      /** Nonce of the id token. */
      readonly nonce: string
      /** PKCE code verifier. */
      readonly codeVerifier: string
    } & Answered
  }
  /** Finish a sign-in at the external provider: exchange its authorization code for a token. */
  webToken: {
    /** Body or query of the request. */
    request: {
      /** Parameters of the redirect back from the provider, form-encoded. */
      readonly callback: string
      /** State of the authorization request. */
      readonly state: string
      /** Nonce of the id token. */
      readonly nonce: string
      /** PKCE code verifier. */
      readonly codeVerifier: string
    }
    /** Body of the answer. */
    response: {
      /** Provider token. */
      readonly token: string
      /** When the token expires, Unix time in milliseconds. */
      readonly expiresAtMs: number
      /** Name of the person; absent if the provider gives none. */
      readonly name?: string | undefined
    } & Answered
  }
}

/** The name of an endpoint. */
export type OperationName = keyof Operations
/** The request of an endpoint. The client adds the token. */
export type Request<Name extends OperationName> = Operations[Name]['request']
/** The answer of an endpoint. */
export type Answer<Name extends OperationName> = Operations[Name]['response']
