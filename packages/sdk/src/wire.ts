/** The wire contract, generated from packages/contract by `npm run generate`. Do not edit. */

export type DeclaredType = 'string' | 'boolean' | 'int64' | 'float' | 'date' | 'json'

interface Answered {
  readonly requestId: string
}

/** Request and answer of each endpoint. */
interface Operations {
  /** Evaluate one variable. */
  evaluate: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Slug of the project */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project */
      readonly stageSlug: string
      /** Name of the variable, unique within the stage, case sensitive */
      readonly name: string
      /** Type that the value, a string on the wire, must parse as */
      readonly declaredType?: DeclaredType | undefined
      /** Seed of a deterministic roll, such as a user id */
      readonly seed?: string | undefined
      /** Namespace of the seed, such as an experiment */
      readonly key?: string | undefined
    }
    response: {
      /** Name of the variable, unique within the stage, case sensitive */
      readonly name: string
      readonly kind: 'secret' | 'ab_roll'
      /** Plaintext value */
      readonly value: string
      /** Type that the value, a string on the wire, must parse as */
      readonly declaredType?: DeclaredType | undefined
      /** Side that an ab_roll chose */
      readonly decision?: 'a' | 'b' | undefined
    } & Answered
  }
  /** Evaluate many variables in one billing event. */
  evaluateBatch: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Slug of the project */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project */
      readonly stageSlug: string
      readonly entries: readonly {
        /** Name of the variable, unique within the stage, case sensitive */
        readonly name: string
        /** Type that the value, a string on the wire, must parse as */
        readonly declaredType?: DeclaredType | undefined
        /** Seed of a deterministic roll, such as a user id */
        readonly seed?: string | undefined
        /** Namespace of the seed, such as an experiment */
        readonly key?: string | undefined
      }[]
    }
    response: {
      readonly results: readonly {
        /** Name of the variable, unique within the stage, case sensitive */
        readonly name: string
        readonly kind: 'secret' | 'ab_roll'
        /** Plaintext value */
        readonly value: string
        /** Type that the value, a string on the wire, must parse as */
        readonly declaredType?: DeclaredType | undefined
        /** Side that an ab_roll chose */
        readonly decision?: 'a' | 'b' | undefined
      }[]
    } & Answered
  }
  /** Evaluate every variable of a stage. */
  pull: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Slug of the project */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project */
      readonly stageSlug: string
      /** Seed of a deterministic roll, such as a user id */
      readonly seed?: string | undefined
      /** Namespace of the seed, such as an experiment */
      readonly key?: string | undefined
    }
    response: {
      readonly variables: { readonly [name: string]: string }
      /** Revision of the stage; 0: the stage does not exist */
      readonly revision: number
    } & Answered
  }
  /** List the variables of a stage without their values. */
  list: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Slug of the project */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project */
      readonly stageSlug: string
    }
    response: {
      readonly variables: readonly {
        /** Name of the variable, unique within the stage, case sensitive */
        readonly name: string
        readonly kind: 'secret' | 'ab_roll'
        /** Type that the value, a string on the wire, must parse as */
        readonly declaredType?: DeclaredType | undefined
        /** ab_roll only */
        readonly chance?: number | undefined
        /** Unix time in milliseconds */
        readonly createdAtMs: number
        /** Unix time in milliseconds */
        readonly updatedAtMs: number
      }[]
      /** Revision of the stage; 0: the stage does not exist */
      readonly revision: number
    } & Answered
  }
  /** Create, update and delete variables, all or nothing. */
  write: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Slug of the project */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project */
      readonly stageSlug: string
      readonly mode: 'upsert' | 'create_only'
      readonly entries?:
        | readonly (
            | {
                /** Name of the variable, unique within the stage, case sensitive */
                readonly name: string
                readonly kind: 'secret'
                /** Plaintext value */
                readonly value: string
                /** Type that the value, a string on the wire, must parse as */
                readonly declaredType?: DeclaredType | undefined
              }
            | {
                /** Name of the variable, unique within the stage, case sensitive */
                readonly name: string
                readonly kind: 'ab_roll'
                /** Plaintext value */
                readonly valueA: string
                /** Plaintext value */
                readonly valueB: string
                /** Probability of value A */
                readonly chance: number
                /** Type that the value, a string on the wire, must parse as */
                readonly declaredType?: DeclaredType | undefined
              }
          )[]
        | undefined
      readonly deletes?: readonly string[] | undefined
      /** Write only if the stage is at this revision */
      readonly ifRevision?: number | undefined
    }
    response: {
      readonly created: readonly string[]
      readonly updated: readonly string[]
      readonly deleted: readonly string[]
      /** Revision of the stage; 0: the stage does not exist */
      readonly revision: number
    } & Answered
  }
  /** Set the chance of a roll without sending its values. */
  chance: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Slug of the project */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project */
      readonly stageSlug: string
      /** Name of the variable, unique within the stage, case sensitive */
      readonly name: string
      /** Probability of value A */
      readonly chance: number
      /** Set the chance only if the stage is at this revision */
      readonly ifRevision?: number | undefined
    }
    response: {
      /** Revision of the stage; 0: the stage does not exist */
      readonly revision: number
    } & Answered
  }
  /** Copy variables from another stage, all or nothing. */
  copy: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      readonly from: {
        /** Slug of the project */
        readonly projectSlug: string
        /** Slug of the stage, an environment of the project */
        readonly stageSlug: string
      }
      readonly to: {
        /** Slug of the project */
        readonly projectSlug: string
        /** Slug of the stage, an environment of the project */
        readonly stageSlug: string
      }
      readonly names: readonly string[]
      /** Copy only if the stage of `to` is at this revision */
      readonly ifRevision?: number | undefined
      /** Copy only if the stage of `from` is at this revision */
      readonly fromRevision?: number | undefined
    }
    response: {
      readonly created: readonly string[]
      readonly updated: readonly string[]
      readonly deleted: readonly string[]
      /** Revision of the stage; 0: the stage does not exist */
      readonly revision: number
    } & Answered
  }
  /** Reveal values to a person, both sides of a roll; each call is in the audit log. */
  reveal: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Slug of the project */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project */
      readonly stageSlug: string
      readonly names: readonly string[]
    }
    response: {
      readonly variables: readonly (
        | {
            /** Name of the variable, unique within the stage, case sensitive */
            readonly name: string
            readonly kind: 'secret'
            /** Plaintext value */
            readonly value: string
            /** Type that the value, a string on the wire, must parse as */
            readonly declaredType?: DeclaredType | undefined
          }
        | {
            /** Name of the variable, unique within the stage, case sensitive */
            readonly name: string
            readonly kind: 'ab_roll'
            /** Plaintext value */
            readonly valueA: string
            /** Plaintext value */
            readonly valueB: string
            /** Probability of value A */
            readonly chance: number
            /** Type that the value, a string on the wire, must parse as */
            readonly declaredType?: DeclaredType | undefined
          }
      )[]
      /** Revision of the stage; 0: the stage does not exist */
      readonly revision: number
    } & Answered
  }
  /** Show the metadata of a stage for type generation. */
  manifest: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Slug of the project */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project */
      readonly stageSlug: string
    }
    response: {
      readonly manifestVersion: 1
      readonly variables: readonly {
        /** Name of the variable, unique within the stage, case sensitive */
        readonly name: string
        readonly kind: 'secret' | 'ab_roll'
        /** Type that the value, a string on the wire, must parse as */
        readonly declaredType?: DeclaredType | undefined
        /** ab_roll only */
        readonly chance?: number | undefined
      }[]
      /** Revision of the stage; 0: the stage does not exist */
      readonly revision: number
    } & Answered
  }
  /** List a digest of each value, keyed per organization, to compare stages without seeing a value. */
  digests: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Slug of the project */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project */
      readonly stageSlug: string
    }
    response: {
      readonly variables: readonly {
        /** Name of the variable, unique within the stage, case sensitive */
        readonly name: string
        readonly kind: 'secret' | 'ab_roll'
        /** Type that the value, a string on the wire, must parse as */
        readonly declaredType?: DeclaredType | undefined
        /** ab_roll only */
        readonly chance?: number | undefined
        readonly digests: {
          /** secret only; absent if the value does not open */
          readonly value?: string | undefined
          /** ab_roll only; absent if the value does not open */
          readonly a?: string | undefined
          /** ab_roll only; absent if the value does not open */
          readonly b?: string | undefined
        }
      }[]
      /** Revision of the stage; 0: the stage does not exist */
      readonly revision: number
    } & Answered
  }
  /** List the changes of a stage or of a variable, with digests in place of values. */
  history: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Slug of the project */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project */
      readonly stageSlug: string
      /** Only of this variable */
      readonly name?: string | undefined
      /** Only of revisions before this one */
      readonly before?: number | undefined
      readonly limit?: number | undefined
    }
    response: {
      /** Newest first; all changes of a revision are included, even beyond the limit */
      readonly changes: readonly {
        readonly kind?: 'secret' | 'ab_roll' | undefined
        /** Type that the value, a string on the wire, must parse as */
        readonly declaredType?: DeclaredType | undefined
        /** ab_roll only */
        readonly chance?: number | undefined
        readonly digests?:
          | {
              /** secret only; absent if the value does not open */
              readonly value?: string | undefined
              /** ab_roll only; absent if the value does not open */
              readonly a?: string | undefined
              /** ab_roll only; absent if the value does not open */
              readonly b?: string | undefined
            }
          | undefined
        /** Revision of the stage; 0: the stage does not exist */
        readonly revision: number
        /** Name of the variable, unique within the stage, case sensitive */
        readonly name: string
        readonly change: 'created' | 'updated' | 'deleted' | 'restored'
        /** Absent if there was none or if it is older than the history */
        readonly before?:
          | {
              readonly kind: 'secret' | 'ab_roll'
              /** Type that the value, a string on the wire, must parse as */
              readonly declaredType?: DeclaredType | undefined
              /** ab_roll only */
              readonly chance?: number | undefined
              readonly digests: {
                /** secret only; absent if the value does not open */
                readonly value?: string | undefined
                /** ab_roll only; absent if the value does not open */
                readonly a?: string | undefined
                /** ab_roll only; absent if the value does not open */
                readonly b?: string | undefined
              }
            }
          | undefined
        /** Unix time in milliseconds */
        readonly writtenAtMs: number
        /** Id of the user at the identity provider, or of the service token */
        readonly writtenBy: string
        /** Client as a text for people, such as: cli session laptop */
        readonly client?: string | undefined
      }[]
    } & Answered
  }
  /** Restore variables, or the whole stage, to their state at an earlier revision. */
  restore: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Slug of the project */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project */
      readonly stageSlug: string
      /** Revision to go back to */
      readonly revision: number
      /** Only these variables */
      readonly names?: readonly string[] | undefined
      /** Restore only if the stage is at this revision */
      readonly ifRevision?: number | undefined
    }
    response: {
      readonly created: readonly string[]
      readonly updated: readonly string[]
      readonly deleted: readonly string[]
      /** Revision of the stage; 0: the stage does not exist */
      readonly revision: number
    } & Answered
  }
  /** Show how often the values of a roll were served, by hour; the last seconds may be missing. */
  rollCounts: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Slug of the project */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project */
      readonly stageSlug: string
      /** Name of the variable, unique within the stage, case sensitive */
      readonly name: string
      /** Unix time in milliseconds */
      readonly fromMs?: number | undefined
      /** Unix time in milliseconds */
      readonly toMs?: number | undefined
    }
    response: {
      readonly hours: readonly {
        /** Unix time in milliseconds */
        readonly fromMs: number
        readonly a: number
        readonly b: number
        /** Absent if it changed within the hour */
        readonly chance?: number | undefined
      }[]
    } & Answered
  }
  /** List the audit log of the organization, newest first. */
  audit: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      readonly actor?: string | undefined
      readonly action?:
        | 'variable.create'
        | 'variable.update'
        | 'variable.delete'
        | 'write'
        | 'chance'
        | 'copy'
        | 'restore'
        | 'reveal'
        | 'token.create'
        | 'token.revoke'
        | 'device.approve'
        | 'device.deny'
        | 'device.exchange'
        | 'session.refresh'
        | 'session.revoke'
        | 'logout'
        | 'setup'
        | 'project.create'
        | 'project.update'
        | 'stage.create'
        | 'stage.update'
        | 'organization.create'
        | 'organization.update'
        | 'export'
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
        | 'password.change'
        | 'password.reset'
        | 'password.link'
        | 'passkey.add'
        | 'passkey.remove'
        | 'signing-keys.revoke'
        | 'refusal'
        | 'key.rotate'
        | 'key.rewrap'
        | 'backup.restore'
        | undefined
      /** Slug of the project */
      readonly projectSlug?: string | undefined
      /** Slug of the stage, an environment of the project */
      readonly stageSlug?: string | undefined
      /** Name of a variable */
      readonly name?: string | undefined
      /** Unix time in milliseconds */
      readonly fromMs?: number | undefined
      /** Unix time in milliseconds */
      readonly toMs?: number | undefined
      /** Only entries of a lower seq */
      readonly before?: number | undefined
      readonly limit?: number | undefined
    }
    response: {
      readonly entries: readonly {
        /** Number of the entry within the organization: 1, 2, 3 … without gaps */
        readonly seq: number
        /** Unix time in milliseconds */
        readonly atMs: number
        readonly action:
          | 'variable.create'
          | 'variable.update'
          | 'variable.delete'
          | 'write'
          | 'chance'
          | 'copy'
          | 'restore'
          | 'reveal'
          | 'token.create'
          | 'token.revoke'
          | 'device.approve'
          | 'device.deny'
          | 'device.exchange'
          | 'session.refresh'
          | 'session.revoke'
          | 'logout'
          | 'setup'
          | 'project.create'
          | 'project.update'
          | 'stage.create'
          | 'stage.update'
          | 'organization.create'
          | 'organization.update'
          | 'export'
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
          | 'password.change'
          | 'password.reset'
          | 'password.link'
          | 'passkey.add'
          | 'passkey.remove'
          | 'signing-keys.revoke'
          | 'refusal'
          | 'key.rotate'
          | 'key.rewrap'
          | 'backup.restore'
        /** Id of the user at the identity provider (for system: the user whose session or account it was), id of the service token, or operator. Absent, like all fields that follow, if the details were deleted after their retention period */
        readonly actor?: string | undefined
        /** Kind of credential; system: the service acted by itself */
        readonly how?: 'provider' | 'session' | 'service' | 'operator' | 'system' | undefined
        /** Client as a text for people, such as: cli session laptop; for system: the reason */
        readonly client?: string | undefined
        /** Slug of the project */
        readonly projectSlug?: string | undefined
        /** Slug of the stage, an environment of the project */
        readonly stageSlug?: string | undefined
        /** Names of the variables, if there are at most 100 */
        readonly names?: readonly string[] | undefined
        /** Number of variables; for a refusal or failed sign-in: number of occurrences since the last entry */
        readonly nameCount?: number | undefined
        /** Revision of the stage that the action made or showed */
        readonly revision?: number | undefined
        /** Other object of the action: the id of a token, session, device code, user or passkey, or the email of an invitation, and after a space the role; for a sign-in, also a failed one: its method; for a refusal: the endpoint and the code */
        readonly subject?: string | undefined
        readonly requestId?: string | undefined
      }[]
    } & Answered
  }
  /** List the projects of the organization and their stages. */
  projects: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
    }
    response: {
      readonly projects: readonly {
        /** Slug of the project */
        readonly projectSlug: string
        /** Name for people */
        readonly name: string
        /** Unix time in milliseconds */
        readonly createdAtMs: number
        /** Absent unless archived */
        readonly archivedAtMs?: number | undefined
        readonly stages: readonly {
          /** Slug of the stage, an environment of the project */
          readonly stageSlug: string
          /** Revision of the stage; 0: the stage does not exist */
          readonly revision: number
          /** Name for people */
          readonly name: string
          /** Unix time in milliseconds */
          readonly createdAtMs: number
          /** Absent unless archived */
          readonly archivedAtMs?: number | undefined
          /** Number of variables */
          readonly variables: number
          /** When the stage reached its revision, Unix time in milliseconds */
          readonly updatedAtMs: number
        }[]
      }[]
    } & Answered
  }
  /** Create a project without stages. */
  projectCreate: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Slug of the project */
      readonly projectSlug: string
      /** Name for people */
      readonly name?: string | undefined
    }
    response: { readonly ok: true } & Answered
  }
  /** Rename a project, archive it or restore it from the archive. */
  projectUpdate: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Slug of the project */
      readonly projectSlug: string
      /** Name for people */
      readonly name?: string | undefined
      /** Archived: it can be evaluated but no longer written */
      readonly archived?: boolean | undefined
    }
    response: { readonly ok: true } & Answered
  }
  /** Create a stage without variables, at revision 1. */
  stageCreate: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Slug of the project */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project */
      readonly stageSlug: string
      /** Name for people */
      readonly name?: string | undefined
    }
    response: { readonly ok: true } & Answered
  }
  /** Rename a stage, archive it or restore it from the archive. */
  stageUpdate: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Slug of the project */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project */
      readonly stageSlug: string
      /** Name for people */
      readonly name?: string | undefined
      /** Archived: it can be evaluated but no longer written */
      readonly archived?: boolean | undefined
    }
    response: { readonly ok: true } & Answered
  }
  /** Show the settings of the organization and its plan. */
  organization: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
    }
    response: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      readonly name: string
      /** Whether a write creates the project and the stage that it names */
      readonly createsOnWrite: boolean
      readonly plan: {
        readonly name: 'unlimited' | 'free'
        /** Maximum billing events per UTC calendar month; absent: unlimited */
        readonly evaluationsPerMonth?: number | undefined
        /** Maximum bytes of all sealed values; absent: unlimited */
        readonly storageBytes?: number | undefined
      }
    } & Answered
  }
  /** Change the settings of the organization. */
  organizationUpdate: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Whether a write creates the project and the stage that it names */
      readonly createsOnWrite: boolean
    }
    response: { readonly ok: true } & Answered
  }
  /** Show the usage of the organization by month, day and stage, and the limits of its plan. */
  usage: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      readonly months?: number | undefined
    }
    response: {
      /** The latest months, oldest first, including those without evaluations */
      readonly months: readonly {
        /** YYYY-MM, UTC */
        readonly month: string
        readonly evaluations: number
      }[]
      /** Days of this month and the last one that had evaluations */
      readonly days: readonly {
        /** YYYY-MM-DD, UTC */
        readonly day: string
        /** Absent for pulls of a stage that did not exist */
        readonly projectSlug?: string | undefined
        /** Absent for pulls of a stage that did not exist */
        readonly stageSlug?: string | undefined
        readonly evaluations: number
      }[]
      readonly storage: {
        /** Bytes of all sealed values */
        readonly bytes: number
        readonly byStage: readonly {
          /** Slug of the project */
          readonly projectSlug: string
          /** Slug of the stage, an environment of the project */
          readonly stageSlug: string
          readonly bytes: number
        }[]
      }
      readonly plan: {
        readonly name: 'unlimited' | 'free'
        /** Maximum billing events per UTC calendar month; absent: unlimited */
        readonly evaluationsPerMonth?: number | undefined
        /** Maximum bytes of all sealed values; absent: unlimited */
        readonly storageBytes?: number | undefined
      }
    } & Answered
  }
  /** Show the number of evaluations by caller and stage, over UTC days of the last 400. */
  usageCallers: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** First UTC day: YYYY-MM-DD */
      readonly from: string
      /** Last UTC day, included */
      readonly to: string
    }
    response: {
      /** Callers with the most evaluations first */
      readonly callers: readonly {
        /** Id of the user or the service token; absent for the last counts of an older version */
        readonly caller?: string | undefined
        /** Kind of credential */
        readonly how?: 'provider' | 'session' | 'service' | undefined
        /** Absent for pulls of a stage that did not exist */
        readonly projectSlug?: string | undefined
        /** Absent for pulls of a stage that did not exist */
        readonly stageSlug?: string | undefined
        readonly evaluations: number
      }[]
      /** Whether there are more results */
      readonly more: boolean
    } & Answered
  }
  /** Find variables by a part of their name in all projects that are not archived. */
  search: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Part of the name, ignoring case */
      readonly query: string
      readonly limit?: number | undefined
    }
    response: {
      readonly variables: readonly {
        /** Name of the variable, unique within the stage, case sensitive */
        readonly name: string
        readonly kind: 'secret' | 'ab_roll'
        /** Type that the value, a string on the wire, must parse as */
        readonly declaredType?: DeclaredType | undefined
        /** Slug of the project */
        readonly projectSlug: string
        /** Slug of the stage, an environment of the project */
        readonly stageSlug: string
      }[]
      /** Whether there are more results */
      readonly more: boolean
    } & Answered
  }
  /** Show the owner and the rights of the credential. */
  whoami: {
    request: {}
    response: {
      readonly credential: 'provider' | 'session' | 'service'
      readonly orgId: string
      readonly orgSlug: string
      /** Absent for a service token */
      readonly idpUserId?: string | undefined
      /** Absent for a service token */
      readonly role?: 'member' | 'admin' | 'owner' | undefined
      /** Of the caller, if the embedded provider stores accounts */
      readonly name?: string | undefined
      /** Of the caller, if the embedded provider stores accounts */
      readonly email?: string | undefined
      readonly serviceToken?:
        | {
            readonly id: string
            /** What the token is for */
            readonly name: string
            /** The only project in its scope */
            readonly projectSlug?: string | undefined
            /** The only stage in its scope */
            readonly stageSlug?: string | undefined
            readonly readOnly: boolean
            /** Whether it may read the history and, unless it is read-only, restore */
            readonly history: boolean
            /** Id of the user who created it at the identity provider, or operator */
            readonly createdBy: string
            /** Unix time in milliseconds */
            readonly createdAtMs: number
            /** Unix time in milliseconds */
            readonly expiresAtMs: number
            /** Absent if it was never used; may lag by a few seconds */
            readonly lastUsedAtMs?: number | undefined
          }
        | undefined
    } & Answered
  }
  /** Create a service token; only this answer contains it. */
  tokenCreate: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** What the token is for */
      readonly name: string
      /** Slug of the project */
      readonly projectSlug?: string | undefined
      /** Slug of the stage, an environment of the project */
      readonly stageSlug?: string | undefined
      readonly readOnly?: boolean | undefined
      /** Whether it may read the history and restore */
      readonly history?: boolean | undefined
      /** Default: 365, or the longest lifetime that the operator allows if that is less */
      readonly expiresInDays?: number | undefined
    }
    response: {
      readonly id: string
      /** What the token is for */
      readonly name: string
      /** The only project in its scope */
      readonly projectSlug?: string | undefined
      /** The only stage in its scope */
      readonly stageSlug?: string | undefined
      readonly readOnly: boolean
      /** Whether it may read the history and, unless it is read-only, restore */
      readonly history: boolean
      /** Id of the user who created it at the identity provider, or operator */
      readonly createdBy: string
      /** Unix time in milliseconds */
      readonly createdAtMs: number
      /** Unix time in milliseconds */
      readonly expiresAtMs: number
      /** Absent if it was never used; may lag by a few seconds */
      readonly lastUsedAtMs?: number | undefined
      readonly token: string
    } & Answered
  }
  /** List the service tokens of the organization that are neither revoked nor expired. */
  tokenList: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
    }
    response: {
      readonly tokens: readonly {
        readonly id: string
        /** What the token is for */
        readonly name: string
        /** The only project in its scope */
        readonly projectSlug?: string | undefined
        /** The only stage in its scope */
        readonly stageSlug?: string | undefined
        readonly readOnly: boolean
        /** Whether it may read the history and, unless it is read-only, restore */
        readonly history: boolean
        /** Id of the user who created it at the identity provider, or operator */
        readonly createdBy: string
        /** Unix time in milliseconds */
        readonly createdAtMs: number
        /** Unix time in milliseconds */
        readonly expiresAtMs: number
        /** Absent if it was never used; may lag by a few seconds */
        readonly lastUsedAtMs?: number | undefined
        /** Whether its creator is still a member; unknown if the identity provider cannot be reached */
        readonly creator: 'member' | 'left' | 'operator' | 'unknown'
      }[]
    } & Answered
  }
  /** Revoke a service token at once. */
  tokenRevoke: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      readonly id: string
    }
    response: { readonly ok: true } & Answered
  }
  /** Start the login of a command-line client. */
  deviceStart: {
    request: {
      /** Name shown in the browser during approval */
      readonly clientName?: string | undefined
    }
    response: {
      readonly deviceCode: string
      readonly userCode: string
      readonly expiresInSec: 600
      readonly intervalSec: 5
      readonly verificationUri: string
      readonly verificationUriComplete: string
    } & Answered
  }
  /** Approve the login of a command-line client. */
  deviceComplete: { request: { readonly userCode: string }; response: { readonly ok: true } & Answered }
  /** Show a waiting login before the decision on it. */
  deviceShow: {
    request: { readonly userCode: string }
    response: {
      /** Name shown in the browser during approval */
      readonly clientName?: string | undefined
      /** Unix time in milliseconds */
      readonly requestedAtMs: number
      /** Unix time in milliseconds */
      readonly expiresAtMs: number
      /** Organization of the session after an approval */
      readonly orgSlug: string
    } & Answered
  }
  /** Refuse the login of a command-line client. */
  deviceDeny: { request: { readonly userCode: string }; response: { readonly ok: true } & Answered }
  /** Poll whether the login was approved; the first answer after the approval contains the tokens. */
  devicePoll: {
    request: { readonly deviceCode: string }
    response: (
      | { readonly status: 'pending' }
      | {
          readonly accessToken: string
          readonly refreshToken: string
          /** Unix time in milliseconds */
          readonly accessTokenExpiresAtMs: number
          /** Unix time in milliseconds */
          readonly refreshTokenExpiresAtMs: number
          readonly status: 'approved'
        }
    ) &
      Answered
  }
  /** Exchange a refresh token, which works once, for a new token pair. */
  tokenRefresh: {
    request: { readonly refreshToken: string }
    response: {
      readonly accessToken: string
      readonly refreshToken: string
      /** Unix time in milliseconds */
      readonly accessTokenExpiresAtMs: number
      /** Unix time in milliseconds */
      readonly refreshTokenExpiresAtMs: number
    } & Answered
  }
  /** End the session that a refresh token belongs to. */
  logout: { request: { readonly refreshToken: string }; response: { readonly ok: true } & Answered }
  /** List the usable sessions of command-line clients, latest used first. */
  sessionList: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      /** Sessions of the whole organization, not only your own; for owners and admins */
      readonly everyone?: boolean | undefined
    }
    response: {
      readonly sessions: readonly {
        readonly id: string
        readonly idpUserId: string
        /** Name shown in the browser during approval */
        readonly clientName?: string | undefined
        /** Unix time in milliseconds */
        readonly createdAtMs: number
        /** Unix time in milliseconds */
        readonly lastUsedAtMs: number
        /** Unix time in milliseconds */
        readonly refreshTokenExpiresAtMs: number
        /** Whether it is the session of this request */
        readonly isCurrent: boolean
      }[]
    } & Answered
  }
  /** End a session at once: your own or, as an owner or admin, any of the organization. */
  sessionRevoke: {
    request: {
      /** Slug of the organization of the token */
      readonly orgSlug: string
      readonly id: string
    }
    response: { readonly ok: true } & Answered
  }
  /** Show the session of the access token. */
  session: {
    request: {}
    response: {
      readonly idpUserId: string
      readonly orgId: string
      readonly orgSlug: string
      /** Unix time in milliseconds */
      readonly accessTokenExpiresAtMs: number
      /** Unix time in milliseconds */
      readonly refreshTokenExpiresAtMs: number
      /** Unix time in milliseconds */
      readonly lastUsedAtMs: number
    } & Answered
  }
}

export type OperationName = keyof Operations
export type Request<Name extends OperationName> = Operations[Name]['request']
export type Answer<Name extends OperationName> = Operations[Name]['response']

export const operations = {
  evaluate: { method: 'POST', path: '/v1/env/evaluate', isPublic: false, metered: true },
  evaluateBatch: { method: 'POST', path: '/v1/env/evaluate-batch', isPublic: false, metered: true },
  pull: { method: 'POST', path: '/v1/env/pull', isPublic: false, metered: true },
  list: { method: 'POST', path: '/v1/env/list', isPublic: false, metered: false },
  write: { method: 'POST', path: '/v1/env/write', isPublic: false, metered: false },
  chance: { method: 'POST', path: '/v1/env/chance', isPublic: false, metered: false },
  copy: { method: 'POST', path: '/v1/env/copy', isPublic: false, metered: false },
  reveal: { method: 'POST', path: '/v1/env/reveal', isPublic: false, metered: false },
  manifest: { method: 'GET', path: '/v1/typegen/manifest', isPublic: false, metered: false },
  digests: { method: 'POST', path: '/v1/env/digests', isPublic: false, metered: false },
  history: { method: 'POST', path: '/v1/env/history', isPublic: false, metered: false },
  restore: { method: 'POST', path: '/v1/env/restore', isPublic: false, metered: false },
  rollCounts: { method: 'POST', path: '/v1/env/roll-counts', isPublic: false, metered: false },
  audit: { method: 'POST', path: '/v1/audit/list', isPublic: false, metered: false },
  projects: { method: 'POST', path: '/v1/projects/list', isPublic: false, metered: false },
  projectCreate: { method: 'POST', path: '/v1/projects/create', isPublic: false, metered: false },
  projectUpdate: { method: 'POST', path: '/v1/projects/update', isPublic: false, metered: false },
  stageCreate: { method: 'POST', path: '/v1/stages/create', isPublic: false, metered: false },
  stageUpdate: { method: 'POST', path: '/v1/stages/update', isPublic: false, metered: false },
  organization: { method: 'POST', path: '/v1/organization/show', isPublic: false, metered: false },
  organizationUpdate: { method: 'POST', path: '/v1/organization/update', isPublic: false, metered: false },
  usage: { method: 'POST', path: '/v1/usage/show', isPublic: false, metered: false },
  usageCallers: { method: 'POST', path: '/v1/usage/callers', isPublic: false, metered: false },
  search: { method: 'POST', path: '/v1/env/search', isPublic: false, metered: false },
  whoami: { method: 'GET', path: '/v1/whoami', isPublic: false, metered: false },
  tokenCreate: { method: 'POST', path: '/v1/tokens/create', isPublic: false, metered: false },
  tokenList: { method: 'POST', path: '/v1/tokens/list', isPublic: false, metered: false },
  tokenRevoke: { method: 'POST', path: '/v1/tokens/revoke', isPublic: false, metered: false },
  deviceStart: { method: 'POST', path: '/v1/cli/device/start', isPublic: true, metered: false },
  deviceComplete: { method: 'POST', path: '/v1/cli/device/complete', isPublic: false, metered: false },
  deviceShow: { method: 'POST', path: '/v1/cli/device/show', isPublic: false, metered: false },
  deviceDeny: { method: 'POST', path: '/v1/cli/device/deny', isPublic: false, metered: false },
  devicePoll: { method: 'POST', path: '/v1/cli/device/poll', isPublic: true, metered: false },
  tokenRefresh: { method: 'POST', path: '/v1/cli/token/refresh', isPublic: true, metered: false },
  logout: { method: 'POST', path: '/v1/cli/logout', isPublic: false, metered: false },
  sessionList: { method: 'POST', path: '/v1/sessions/list', isPublic: false, metered: false },
  sessionRevoke: { method: 'POST', path: '/v1/sessions/revoke', isPublic: false, metered: false },
  session: { method: 'GET', path: '/v1/cli/session', isPublic: false, metered: false },
} as const satisfies Record<OperationName, object>

/** Properties of each error code: HTTP status, whether the same request may succeed later, and advice. */
export const errorCodes = {
  UNAUTHORIZED: { status: 401, retry: 'no', advice: 'Obtain a new token.' },
  INVALID_ORG_SCOPE: {
    status: 403,
    retry: 'no',
    advice: 'Use the slug of the organization that the token belongs to.',
  },
  ORG_SCOPE_INVALID: { status: 403, retry: 'no', advice: 'Sign in again with an account that is a member.' },
  FORBIDDEN: {
    status: 403,
    retry: 'no',
    advice: 'Ask an owner or admin of the organization, or use a token with a wider scope.',
  },
  INVALID_JSON: { status: 400, retry: 'no', advice: 'Send one JSON object, encoded as UTF-8.' },
  INVALID_REQUEST: { status: 400, retry: 'no', advice: 'Correct the field that the message names.' },
  VARIABLE_NOT_FOUND: { status: 404, retry: 'no', advice: 'Check project, stage and name; names are case sensitive.' },
  EVALUATION_FAILED: {
    status: 500,
    retry: 'backoff',
    advice: 'Try again later. If the error persists, ask the operator to look up the request id in the log.',
  },
  USAGE_LIMIT_EXCEEDED: { status: 402, retry: 'no', advice: 'Upgrade the plan.' },
  BILLING_UNAVAILABLE: { status: 503, retry: 'backoff', advice: 'Try again, waiting longer each time.' },
  DEVICE_CODE_NOT_FOUND: { status: 404, retry: 'no', advice: 'Start a new login.' },
  DEVICE_CODE_EXPIRED: { status: 410, retry: 'no', advice: 'Start a new login.' },
  USER_CODE_INVALID: {
    status: 400,
    retry: 'no',
    advice: 'Send the code as the client shows it, in upper case and without a dash.',
  },
  INVALID_REFRESH_TOKEN: { status: 401, retry: 'no', advice: 'Start a new login.' },
  NOT_FOUND: { status: 404, retry: 'no', advice: 'Check the path; the API is described at /openapi.json.' },
  METHOD_NOT_ALLOWED: { status: 405, retry: 'no', advice: 'Use the method that the Allow header names.' },
  REQUEST_TIMEOUT: { status: 408, retry: 'backoff', advice: 'Send the whole request within 30 seconds.' },
  REVISION_CONFLICT: {
    status: 409,
    retry: 'no',
    advice: 'Read the stage again, then decide whether to repeat the request.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, retry: 'no', advice: 'Split the request.' },
  RATE_LIMITED: { status: 429, retry: 'backoff', advice: 'Wait for the time that the Retry-After header names.' },
  HEADERS_TOO_LARGE: { status: 431, retry: 'no', advice: 'Send at most 16 KiB of headers.' },
  INTERNAL: {
    status: 500,
    retry: 'backoff',
    advice: 'Try again later. If the error persists, ask the operator to look up the request id in the log.',
  },
  SERVICE_UNAVAILABLE: { status: 503, retry: 'backoff', advice: 'Try again, waiting longer each time.' },
} as const

/** Maximum number of entries in one batch or write. */
export const maxEntries = 1000
