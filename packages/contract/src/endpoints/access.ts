/** Who may do what: grants, groups, roles and protected stages (docs/access.md). */
import { z } from 'zod'
import * as field from '../fields.ts'
import { limits } from '../rules/limits.ts'
import { ok, optionalProtection, stage, type Endpoint } from './endpoint.ts'

/** The organization, a project or a stage. */
const place = {
  projectSlug: field.projectSlug.optional().describe('Slug of the project; absent: the whole organization'),
  stageSlug: field.stageSlug.optional().describe('Slug of the stage; absent: the whole project'),
}

function hasProject(input: { readonly projectSlug?: unknown; readonly stageSlug?: unknown }): boolean {
  return input.stageSlug === undefined || input.projectSlug !== undefined
}

/** Asserts that a stage comes with its project. */
function withProject<Shape extends z.ZodObject>(shape: Shape) {
  return shape.refine((input) => hasProject(input), { message: 'must come with a projectSlug', path: ['stageSlug'] })
}

/** What answers add to a principal, for people. */
const named = {
  name: z
    .string()
    .optional()
    .describe(
      'Name of the group, the active service token, the trust or the person; absent for people of an external identity provider',
    ),
  email: z.string().optional().describe('Email of the person; absent with an external identity provider'),
}
const namedPrincipal = field.principal
  .extend(named)
  .describe('A person, a group, a service token or a trust')
  .meta({ id: 'NamedPrincipal' })

/** A person, as a member of a group. */
const person = z
  .object({
    kind: z
      .enum(['user', 'email'])
      .describe('Kind of the member; email: a person who is invited and has not joined yet'),
    id: field.principalId,
  })
  .describe('A person')
  .meta({ id: 'GroupMember' })

const expiresAtMs = field.timeMs.optional().describe('When the grant ends, Unix time in milliseconds; absent: never')

const grant = z
  .object({
    principal: namedPrincipal,
    ...place,
    role: field.accessRole,
    expiresAtMs,
    grantedAtMs: field.timeMs.describe('When it was granted, Unix time in milliseconds'),
    grantedBy: field.author,
  })
  .meta({ id: 'Grant', description: 'A role that a principal has at a place' })

const listedRole = z
  .object({
    name: field.accessRole,
    verbs: field.verbs,
    isBuiltIn: z.boolean().describe('Whether every organization has it, so that it cannot be changed'),
  })
  .meta({ id: 'Role', description: 'A role and what it allows' })

const group = { id: field.groupId, name: field.groupName }

const partialProtection = optionalProtection('as is')

export const access = {
  /** Lists the grants that give access to a place or to something within it, and what every member can do. */
  accessList: {
    method: 'POST',
    path: '/v1/access/list',
    manage: 'access.list',
    summary: 'List the grants on a place, within it and around it, and the default role of members',
    auth: 'person',
    verb: 'manage',
    expensive: true,
    repeatable: true,
    request: withProject(z.object({ orgSlug: field.orgSlug, ...place })),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        defaultRole: field.defaultRole,
        grants: z.array(grant).describe('Ordered by place and principal; those that have expired are left out'),
        protectedStages: z
          .array(z.object({ projectSlug: field.projectSlug, stageSlug: field.stageSlug }))
          .describe('Protected stages at the place or within it, ordered by slugs'),
      }),
    errors: [],
  },
  /** Gives a principal a role at a place, instead of the role that it has there. On a protected stage it needs a fresh confirmation. */
  accessGrant: {
    method: 'POST',
    path: '/v1/access/grant',
    manage: 'access.grant',
    summary: 'Grant a person, a group, a service token or a trust a role at a place',
    auth: 'person',
    verb: 'manage',
    repeatable: true,
    request: withProject(
      z.object({ orgSlug: field.orgSlug, principal: field.principal, ...place, role: field.accessRole, expiresAtMs }),
    ),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND', 'CONFIRMATION_REQUIRED'],
  },
  /** Revokes a grant on every node, starting with the next request. */
  accessRevoke: {
    method: 'POST',
    path: '/v1/access/revoke',
    manage: 'access.revoke',
    summary: 'Revoke the role that a principal was granted at a place',
    auth: 'person',
    verb: 'manage',
    request: withProject(z.object({ orgSlug: field.orgSlug, principal: field.principal, ...place })),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND'],
  },
  /** Shows what a principal may do at a place, and what gives it. A person who does not manage the place sees only themselves. */
  accessExplain: {
    method: 'POST',
    path: '/v1/access/explain',
    manage: 'access.explain',
    summary: 'Explain what a person, a group, a service token or a trust may do at a place, and why',
    auth: 'person',
    verb: 'list',
    request: withProject(
      z.object({
        orgSlug: field.orgSlug,
        principal: field.principal.optional().describe('Person, group, service token or trust; absent: yourself'),
        ...place,
      }),
    ),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        verbs: field.verbs,
        isProtected: z.boolean().describe('Whether the place is a protected stage'),
        sources: z
          .array(
            z
              .object({
                from: z
                  .enum(['default', 'owner', 'admin', 'token', 'trust', 'grant'])
                  .describe(
                    'default: the role of every member; owner, admin: the role of the member; token: the role of the service token; trust: the role of the trust; grant: a grant',
                  ),
                principal: namedPrincipal
                  .optional()
                  .describe('Who has the grant: the principal or one of its groups; absent: no grant'),
                ...place,
                role: z.string().optional().describe('Role that gives the verbs; absent for owner and admin'),
                verbs: field.verbs.describe('Verbs that it gives at the place; may be none, if the stage is protected'),
                expiresAtMs,
              })
              .meta({ id: 'AccessSource', description: 'What gives verbs at a place' }),
          )
          .describe('Everything that applies to the place'),
      }),
    errors: ['NOT_FOUND'],
  },
  /** Shows who had a verb on a stage at a time, from the present state and the audit log since then. */
  accessHolders: {
    method: 'POST',
    path: '/v1/access/holders',
    manage: 'access.holders',
    summary: 'Show who could read a stage, or do something else with it, now or at an earlier time',
    auth: 'person',
    verb: 'manage',
    expensive: true,
    repeatable: true,
    request: z.object({
      ...stage,
      verb: field.verb.default('read').describe('What they could do'),
      atMs: field.timeMs.optional().describe('Time, Unix time in milliseconds; absent: now'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        atMs: field.timeMs.describe('The time that the answer is about, Unix time in milliseconds'),
        isProtected: z.boolean().describe('Whether the stage was protected'),
        members: z.boolean().describe('Whether every member had the verb, by the default role'),
        holders: z
          .array(
            z
              .object({
                principal: namedPrincipal,
                via: field.groupId.optional().describe('Group that had the grant; absent: the principal itself'),
                ...place,
                role: z.string().describe('Role that gave the verb'),
              })
              .meta({ id: 'AccessHolder', description: 'Who could do something with a stage, and what gave it' }),
          )
          .describe('Everyone else who had it, once for each grant'),
      }),
    errors: ['NOT_FOUND'],
  },
  /**
   * Lists the groups of the organization with their members. Who may not list the organization sees only the groups to which they
   * belong, and those with a grant on a place that they manage, around it or within it.
   */
  groups: {
    method: 'POST',
    path: '/v1/groups/list',
    manage: 'groups.list',
    summary: 'List the groups that matter where the caller manages, and their members',
    auth: 'person',
    verb: 'manage',
    at: 'any',
    repeatable: true,
    request: z.object({ orgSlug: field.orgSlug }),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        groups: z
          .array(
            z
              .object({
                ...group,
                idpGroup: field.idpGroup
                  .optional()
                  .describe(
                    'Group at the identity provider, whose people are the members; absent: the members are kept here',
                  ),
                createdAtMs: field.timeMs.describe('When it was created, Unix time in milliseconds'),
                members: z.array(person.extend(named).describe('A person')).describe('Ordered by kind and id'),
              })
              .meta({ id: 'Group', description: 'A group and its members' }),
          )
          .describe('Ordered by name'),
      }),
    errors: [],
  },
  /** Creates a group without members. Fails with `INVALID_REQUEST` if the name is taken. */
  groupCreate: {
    method: 'POST',
    path: '/v1/groups/create',
    manage: 'groups.create',
    summary: 'Create a group of people',
    auth: 'person',
    verb: 'manage',
    request: z.object({
      orgSlug: field.orgSlug,
      name: field.groupName,
      idpGroup: field.idpGroup
        .optional()
        .describe('Group at the identity provider, whose people become the members; absent: the members are kept here'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => z.object({ id: field.groupId }),
    errors: [],
  },
  /**
   * Changes the name of a group, or the group at the identity provider that it stands for: then its members leave it, and the
   * provider's join with their next sign-in. Fails with `INVALID_REQUEST` if the name is taken.
   */
  groupUpdate: {
    method: 'POST',
    path: '/v1/groups/update',
    manage: 'groups.update',
    summary: 'Rename a group, or let it stand for a group of the identity provider',
    auth: 'person',
    verb: 'manage',
    repeatable: true,
    request: z.object({
      orgSlug: field.orgSlug,
      id: field.groupId,
      name: field.groupName.optional().describe('New name; absent: as it is'),
      idpGroup: field.idpGroup
        .nullable()
        .optional()
        .describe('Group at the identity provider; null: keep the members here from now on; absent: as it is'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND', 'CONFIRMATION_REQUIRED'],
  },
  /** Deletes a group and its grants. */
  groupDelete: {
    method: 'POST',
    path: '/v1/groups/delete',
    manage: 'groups.delete',
    summary: 'Delete a group; its members lose what was granted to it',
    auth: 'person',
    verb: 'manage',
    request: z.object({ orgSlug: field.orgSlug, id: field.groupId }),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND'],
  },
  /** Adds and removes members. Adding needs a fresh confirmation if the group has a grant on a protected stage. */
  groupMembers: {
    method: 'POST',
    path: '/v1/groups/members',
    manage: 'groups.change',
    summary: 'Add people to a group and remove people from it, all or nothing',
    auth: 'person',
    verb: 'manage',
    repeatable: true,
    request: z.object({
      orgSlug: field.orgSlug,
      id: field.groupId,
      add: z.array(person).max(limits.changedMembers).default([]).describe('People to add'),
      remove: z.array(person).max(limits.changedMembers).default([]).describe('People to remove'),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND', 'CONFIRMATION_REQUIRED'],
  },
  /** Lists the roles that can be granted. */
  roles: {
    method: 'POST',
    path: '/v1/roles/list',
    manage: 'roles.list',
    summary: 'List the built-in roles and those that the organization has added',
    auth: 'caller',
    verb: 'none',
    repeatable: true,
    request: z.object({ orgSlug: field.orgSlug }),
    bodyBytes: limits.bodyBytes,
    response: () => z.object({ roles: z.array(listedRole).describe('The built-in ones first, then by name') }),
    errors: [],
  },
  /** Adds a role, or changes what it allows. A change needs a fresh confirmation if it adds verbs on a protected stage. */
  roleSet: {
    method: 'POST',
    path: '/v1/roles/set',
    manage: 'roles.set',
    summary: 'Add a role to the organization, or change what a role allows',
    auth: 'person',
    verb: 'manage',
    repeatable: true,
    request: z.object({
      orgSlug: field.orgSlug,
      name: field.customRole,
      verbs: field.verbs.refine(
        (verbs) => verbs.includes('list') && field.areDistinct(verbs),
        'must contain list and name each verb once',
      ),
    }),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: ['CONFIRMATION_REQUIRED'],
  },
  /** Deletes a role. Fails with `INVALID_REQUEST` while it is granted to anyone. */
  roleDelete: {
    method: 'POST',
    path: '/v1/roles/delete',
    manage: 'roles.delete',
    summary: 'Delete a role that the organization has added',
    auth: 'person',
    verb: 'manage',
    request: z.object({ orgSlug: field.orgSlug, name: field.customRole }),
    bodyBytes: limits.bodyBytes,
    response: () => ok,
    errors: ['NOT_FOUND'],
  },
  /**
   * Protects a stage: it takes `read`, `write` and `approve` only from grants on itself, and requires of changes what the request says.
   * To change or end a protection needs a fresh confirmation.
   */
  stageProtect: {
    method: 'POST',
    path: '/v1/stages/protect',
    manage: 'stage.protect',
    summary: 'Protect a stage from access that was granted around it, or end the protection; shows who loses access',
    auth: 'person',
    verb: 'manage',
    repeatable: true,
    request: z
      .object({
        ...stage,
        isProtected: z.boolean().describe('Whether the stage is protected'),
        ...partialProtection,
        dryRun: z.boolean().default(false).describe('Whether to change nothing and only show who would lose access'),
      })
      .refine(
        ({ isProtected, ...rules }) =>
          isProtected ||
          Object.keys(partialProtection).every((rule) => rules[rule as keyof typeof rules] === undefined),
        { message: 'must be true if the request states what the stage requires', path: ['isProtected'] },
      ),
    bodyBytes: limits.bodyBytes,
    response: () =>
      z.object({
        losing: z
          .array(
            z
              .object({
                principal: namedPrincipal
                  .optional()
                  .describe('Who loses verbs; absent: every member, by the default role'),
                verbs: field.verbs.describe('Verbs that they lose'),
              })
              .meta({ id: 'LostAccess', description: 'Verbs that a principal loses' }),
          )
          .describe('Those who lose verbs on the stage; people of a group are not listed one by one'),
      }),
    errors: ['NOT_FOUND', 'CONFIRMATION_REQUIRED'],
  },
} as const satisfies Record<string, Endpoint>
