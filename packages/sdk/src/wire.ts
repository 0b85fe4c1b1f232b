/** The wire contract, generated from packages/contract by `npm run generate`. Do not edit. */

import type { DeclaredType } from '@rollkey/contract/rules'

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
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
      /** Name of the variable, unique within the stage, case sensitive. */
      readonly name: string
      /** Type that the variable must have; absent: any. */
      readonly declaredType?: DeclaredType | undefined
      /** Seed of a deterministic roll, such as a user id; absent: empty. */
      readonly seed?: string | undefined
      /** Namespace of the seed, such as an experiment; absent: empty. */
      readonly key?: string | undefined
    }
    /** Body of the answer. */
    response: {
      /** Name of the variable, unique within the stage, case sensitive. */
      readonly name: string
      /** Kind of the variable. */
      readonly kind: 'secret' | 'ab_roll'
      /** Plaintext value, at most 65,536 bytes of UTF-8. */
      readonly value: string
      /** Type that the value, a string on the wire, parses as; absent: string. */
      readonly declaredType?: DeclaredType | undefined
      /** Side that an ab_roll chose; absent for a secret. */
      readonly decision?: 'a' | 'b' | undefined
    } & Answered
  }
  /** Evaluate many variables in one billing event. */
  evaluateBatch: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
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
      }[]
    }
    /** Body of the answer. */
    response: {
      /** One result for each entry, in the same order. */
      readonly results: readonly {
        /** Name of the variable, unique within the stage, case sensitive. */
        readonly name: string
        /** Kind of the variable. */
        readonly kind: 'secret' | 'ab_roll'
        /** Plaintext value, at most 65,536 bytes of UTF-8. */
        readonly value: string
        /** Type that the value, a string on the wire, parses as; absent: string. */
        readonly declaredType?: DeclaredType | undefined
        /** Side that an ab_roll chose; absent for a secret. */
        readonly decision?: 'a' | 'b' | undefined
      }[]
    } & Answered
  }
  /** Evaluate every variable of a stage. */
  pull: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
      /** Seed of a deterministic roll, such as a user id; absent: empty. */
      readonly seed?: string | undefined
      /** Namespace of the seed, such as an experiment; absent: empty. */
      readonly key?: string | undefined
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
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
    }
    /** Body of the answer. */
    response: {
      /** Ordered by name. */
      readonly variables: readonly {
        /** Name of the variable, unique within the stage, case sensitive. */
        readonly name: string
        /** Kind of the variable. */
        readonly kind: 'secret' | 'ab_roll'
        /** Type that the value, a string on the wire, parses as; absent: string. */
        readonly declaredType?: DeclaredType | undefined
        /** Probability of value A, from 0 to 1; absent for a secret. */
        readonly chance?: number | undefined
        /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; absent: secret. */
        readonly exposure?: 'secret' | 'plain' | 'client' | undefined
        /** What the variable is for, at most 1,000 characters; absent: none. */
        readonly description?: string | undefined
        /** When it was created, Unix time in milliseconds. */
        readonly createdAtMs: number
        /** When it was last written, Unix time in milliseconds. */
        readonly updatedAtMs: number
      }[]
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** Create, update and delete variables, all or nothing. */
  write: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
      /** create_only: refuses entries that exist already. */
      readonly mode: 'upsert' | 'create_only'
      /** Variables to create or update. @default [] */
      readonly entries?:
        | readonly (
            | {
                /** Name of the variable, unique within the stage, case sensitive. */
                readonly name: string
                /** Kind of the variable. */
                readonly kind: 'secret'
                /** Plaintext value, at most 65,536 bytes of UTF-8. */
                readonly value: string
                /** Type that the value must parse as; absent in a write: as stored; absent in an answer: string. */
                readonly declaredType?: DeclaredType | undefined
                /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; null: secret; absent in a write: as stored; absent in an answer: secret. */
                readonly exposure?: ('secret' | 'plain' | 'client' | null) | undefined
                /** What the variable is for, at most 1,000 characters; null: none; absent in a write: as stored; absent in an answer: none. */
                readonly description?: (string | null) | undefined
              }
            | {
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
                readonly exposure?: ('secret' | 'plain' | 'client' | null) | undefined
                /** What the variable is for, at most 1,000 characters; null: none; absent in a write: as stored; absent in an answer: none. */
                readonly description?: (string | null) | undefined
              }
          )[]
        | undefined
      /** Names of variables to delete. @default [] */
      readonly deletes?: readonly string[] | undefined
      /** Write only if the stage is at this revision; absent: at any. */
      readonly ifRevision?: number | undefined
    }
    /** Body of the answer. */
    response: {
      /** Names of the variables that the change created. */
      readonly created: readonly string[]
      /** Names of the variables that existed and were written. */
      readonly updated: readonly string[]
      /** Names of the variables that the change deleted. */
      readonly deleted: readonly string[]
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** Set the chance of a roll without sending its values. */
  chance: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
      /** Name of the variable, unique within the stage, case sensitive. */
      readonly name: string
      /** Probability of value A, from 0 to 1. */
      readonly chance: number
      /** Set the chance only if the stage is at this revision; absent: at any. */
      readonly ifRevision?: number | undefined
    }
    /** Body of the answer. */
    response: {
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** Set the exposure or description of variables without sending their values, all or nothing. */
  attributes: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
      /** Names of variables. */
      readonly names: readonly string[]
      /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; null: secret; absent in a write: as stored; absent in an answer: secret. */
      readonly exposure?: ('secret' | 'plain' | 'client' | null) | undefined
      /** What the variable is for, at most 1,000 characters; null: none; absent in a write: as stored; absent in an answer: none. */
      readonly description?: (string | null) | undefined
      /** Set the attributes only if the stage is at this revision; absent: at any. */
      readonly ifRevision?: number | undefined
    }
    /** Body of the answer. */
    response: {
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
      readonly from: {
        /** Slug of the project. */
        readonly projectSlug: string
        /** Slug of the stage, an environment of the project. */
        readonly stageSlug: string
      }
      /** Stage to copy to. */
      readonly to: {
        /** Slug of the project. */
        readonly projectSlug: string
        /** Slug of the stage, an environment of the project. */
        readonly stageSlug: string
      }
      /** Names of variables. */
      readonly names: readonly string[]
      /** Copy only if the stage of `to` is at this revision; absent: at any. */
      readonly ifRevision?: number | undefined
      /** Copy only if the stage of `from` is at this revision; absent: at any. */
      readonly fromRevision?: number | undefined
    }
    /** Body of the answer. */
    response: {
      /** Names of the variables that the change created. */
      readonly created: readonly string[]
      /** Names of the variables that existed and were written. */
      readonly updated: readonly string[]
      /** Names of the variables that the change deleted. */
      readonly deleted: readonly string[]
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** Reveal values to a person, both sides of a roll; each call is in the audit log. */
  reveal: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
      /** Names of variables. */
      readonly names: readonly string[]
    }
    /** Body of the answer. */
    response: {
      /** Variables in the form of a write. */
      readonly variables: readonly (
        | {
            /** Name of the variable, unique within the stage, case sensitive. */
            readonly name: string
            /** Kind of the variable. */
            readonly kind: 'secret'
            /** Plaintext value, at most 65,536 bytes of UTF-8. */
            readonly value: string
            /** Type that the value must parse as; absent in a write: as stored; absent in an answer: string. */
            readonly declaredType?: DeclaredType | undefined
            /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; null: secret; absent in a write: as stored; absent in an answer: secret. */
            readonly exposure?: ('secret' | 'plain' | 'client' | null) | undefined
            /** What the variable is for, at most 1,000 characters; null: none; absent in a write: as stored; absent in an answer: none. */
            readonly description?: (string | null) | undefined
          }
        | {
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
            readonly exposure?: ('secret' | 'plain' | 'client' | null) | undefined
            /** What the variable is for, at most 1,000 characters; null: none; absent in a write: as stored; absent in an answer: none. */
            readonly description?: (string | null) | undefined
          }
      )[]
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** Show the values of all variables that are not secret to a person, both sides of a roll. */
  plain: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
    }
    /** Body of the answer. */
    response: {
      /** Variables whose exposure is plain or client, in the form of a write, ordered by name. */
      readonly variables: readonly (
        | {
            /** Name of the variable, unique within the stage, case sensitive. */
            readonly name: string
            /** Kind of the variable. */
            readonly kind: 'secret'
            /** Plaintext value, at most 65,536 bytes of UTF-8. */
            readonly value: string
            /** Type that the value must parse as; absent in a write: as stored; absent in an answer: string. */
            readonly declaredType?: DeclaredType | undefined
            /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; null: secret; absent in a write: as stored; absent in an answer: secret. */
            readonly exposure?: ('secret' | 'plain' | 'client' | null) | undefined
            /** What the variable is for, at most 1,000 characters; null: none; absent in a write: as stored; absent in an answer: none. */
            readonly description?: (string | null) | undefined
          }
        | {
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
            readonly exposure?: ('secret' | 'plain' | 'client' | null) | undefined
            /** What the variable is for, at most 1,000 characters; null: none; absent in a write: as stored; absent in an answer: none. */
            readonly description?: (string | null) | undefined
          }
      )[]
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** Show the metadata of a stage for type generation. */
  manifest: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
    }
    /** Body of the answer. */
    response: {
      /** Version of this format. */
      readonly manifestVersion: 1
      /** Ordered by name. */
      readonly variables: readonly {
        /** Name of the variable, unique within the stage, case sensitive. */
        readonly name: string
        /** Kind of the variable. */
        readonly kind: 'secret' | 'ab_roll'
        /** Type that the value, a string on the wire, parses as; absent: string. */
        readonly declaredType?: DeclaredType | undefined
        /** Probability of value A, from 0 to 1; absent for a secret. */
        readonly chance?: number | undefined
        /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; absent: secret. */
        readonly exposure?: 'secret' | 'plain' | 'client' | undefined
        /** What the variable is for, at most 1,000 characters; absent: none. */
        readonly description?: string | undefined
      }[]
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** List a digest of each value, keyed per organization, to compare stages without seeing a value. */
  digests: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
    }
    /** Body of the answer. */
    response: {
      /** Ordered by name. */
      readonly variables: readonly {
        /** Name of the variable, unique within the stage, case sensitive. */
        readonly name: string
        /** Kind of the variable. */
        readonly kind: 'secret' | 'ab_roll'
        /** Type that the value, a string on the wire, parses as; absent: string. */
        readonly declaredType?: DeclaredType | undefined
        /** Probability of value A, from 0 to 1; absent for a secret. */
        readonly chance?: number | undefined
        /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; absent: secret. */
        readonly exposure?: 'secret' | 'plain' | 'client' | undefined
        /** What the variable is for, at most 1,000 characters; absent: none. */
        readonly description?: string | undefined
        /** Digest of each value. */
        readonly digests: {
          /** secret only; absent if the value does not open. */
          readonly value?: string | undefined
          /** ab_roll only; absent if the value does not open. */
          readonly a?: string | undefined
          /** ab_roll only; absent if the value does not open. */
          readonly b?: string | undefined
        }
        /** When it was last written, Unix time in milliseconds. */
        readonly updatedAtMs: number
        /** Id of the user at the identity provider, or of the service token. */
        readonly updatedBy: string
      }[]
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** List the changes of a stage or of a variable, with digests in place of values. */
  history: {
    /** Body or query of the request. */
    request: {
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
    /** Body of the answer. */
    response: {
      /** Newest first; all changes of a revision are included, even beyond the limit. */
      readonly changes: readonly {
        /** Kind of the variable; absent if it was deleted. */
        readonly kind?: 'secret' | 'ab_roll' | undefined
        /** Type that the value, a string on the wire, parses as; absent: string. */
        readonly declaredType?: DeclaredType | undefined
        /** Probability of value A, from 0 to 1; absent for a secret. */
        readonly chance?: number | undefined
        /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; absent: secret. */
        readonly exposure?: 'secret' | 'plain' | 'client' | undefined
        /** What the variable is for, at most 1,000 characters; absent: none. */
        readonly description?: string | undefined
        /** Digest of each value; absent if the variable was deleted. */
        readonly digests?:
          | {
              /** secret only; absent if the value does not open. */
              readonly value?: string | undefined
              /** ab_roll only; absent if the value does not open. */
              readonly a?: string | undefined
              /** ab_roll only; absent if the value does not open. */
              readonly b?: string | undefined
            }
          | undefined
        /** Revision of the stage; 0: the stage does not exist. */
        readonly revision: number
        /** Name of the variable, unique within the stage, case sensitive. */
        readonly name: string
        /** What the revision did to the variable. */
        readonly change: 'created' | 'updated' | 'deleted' | 'restored'
        /** Absent if there was none or if it is older than the history. */
        readonly before?:
          | {
              /** Kind of the variable. */
              readonly kind: 'secret' | 'ab_roll'
              /** Type that the value, a string on the wire, parses as; absent: string. */
              readonly declaredType?: DeclaredType | undefined
              /** Probability of value A, from 0 to 1; absent for a secret. */
              readonly chance?: number | undefined
              /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; absent: secret. */
              readonly exposure?: 'secret' | 'plain' | 'client' | undefined
              /** What the variable is for, at most 1,000 characters; absent: none. */
              readonly description?: string | undefined
              /** Digest of each value. */
              readonly digests: {
                /** secret only; absent if the value does not open. */
                readonly value?: string | undefined
                /** ab_roll only; absent if the value does not open. */
                readonly a?: string | undefined
                /** ab_roll only; absent if the value does not open. */
                readonly b?: string | undefined
              }
            }
          | undefined
        /** When the revision was made, Unix time in milliseconds. */
        readonly writtenAtMs: number
        /** Id of the user at the identity provider, or of the service token. */
        readonly writtenBy: string
        /** Client as a text for people, such as: cli session laptop; absent if it is unknown. */
        readonly client?: string | undefined
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
      readonly revisions: readonly {
        /** Slug of the project. */
        readonly projectSlug: string
        /** Slug of the stage, an environment of the project. */
        readonly stageSlug: string
        /** Revision of the stage; 0: the stage does not exist. */
        readonly revision: number
        /** When the revision was made, Unix time in milliseconds. */
        readonly writtenAtMs: number
        /** Id of the user at the identity provider, or of the service token. */
        readonly writtenBy: string
        /** Client as a text for people, such as: cli session laptop. */
        readonly client: string
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
      }[]
      /** What to send as before for older revisions; absent if there are none. */
      readonly next?: number | undefined
    } & Answered
  }
  /** Restore variables, or the whole stage, to their state at an earlier revision. */
  restore: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
      /** Revision to go back to. */
      readonly revision: number
      /** Only these variables; absent: the whole stage. */
      readonly names?: readonly string[] | undefined
      /** Restore only if the stage is at this revision; absent: at any. */
      readonly ifRevision?: number | undefined
    }
    /** Body of the answer. */
    response: {
      /** Names of the variables that the change created. */
      readonly created: readonly string[]
      /** Names of the variables that existed and were written. */
      readonly updated: readonly string[]
      /** Names of the variables that the change deleted. */
      readonly deleted: readonly string[]
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
    } & Answered
  }
  /** Show how often the values of a roll were served, by hour; the last seconds may be missing. */
  rollCounts: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
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
      readonly rolls: readonly {
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
        readonly served: {
          /** How many times value A was served. */
          readonly a: number
          /** How many times value B was served. */
          readonly b: number
        }
        /** In the UTC hours since then that had no other chance, of the last 90 days. */
        readonly sinceChance: {
          /** How many times value A was served. */
          readonly a: number
          /** How many times value B was served. */
          readonly b: number
        }
      }[]
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
      readonly action?:
        | 'variable.create'
        | 'variable.update'
        | 'variable.delete'
        | 'variable.expose'
        | 'write'
        | 'chance'
        | 'copy'
        | 'restore'
        | 'reveal'
        | 'token.create'
        | 'token.rotate'
        | 'token.revoke'
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
        | 'stage.order'
        | 'stage.protect'
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
      readonly entries: readonly {
        /** Number of the entry within the organization: 1, 2, 3 … without gaps. */
        readonly seq: number
        /** Unix time in milliseconds. */
        readonly atMs: number
        /** What was done. */
        readonly action:
          | 'variable.create'
          | 'variable.update'
          | 'variable.delete'
          | 'variable.expose'
          | 'write'
          | 'chance'
          | 'copy'
          | 'restore'
          | 'reveal'
          | 'token.create'
          | 'token.rotate'
          | 'token.revoke'
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
          | 'stage.order'
          | 'stage.protect'
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
        /** Id of the user at the identity provider (for system: the user whose session or account it was), id of the service token, or operator. Absent, like all fields that follow, if the details were deleted after their retention period. */
        readonly actor?: string | undefined
        /** Kind of credential; system: the service acted by itself; absent if the details were deleted. */
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
        /** Other object of the action: the id of a token, session, device code, user or passkey, or the email of an invitation, and after a space the role; for a sign-in, also a failed one: its method; for a refusal: the endpoint and the code; for variable.expose: the exposure before and after; for a production mark: isProduction, before and after, likewise isProtected and defaultRole; for a project or stage that is archived or restored: archived or restored; for a new name of a project, stage or organization: name and the new one; for a setting: createsOnWrite and its new value; for a chance: the chances before and after; for access.grant and access.revoke: the kind and id of the principal, the role before and after, with - for none and @ before the time of its end; for a group: its id and its name or its member; for a role: its name and its verbs before and after; for an order of at most 100 stages: their slugs before and after, with commas; absent if there is none. */
        readonly subject?: string | undefined
        /** Id of the request; absent if there was none. */
        readonly requestId?: string | undefined
      }[]
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
      readonly projects: readonly {
        /** Slug of the project. */
        readonly projectSlug: string
        /** Name for people. */
        readonly name: string
        /** When it was created, Unix time in milliseconds. */
        readonly createdAtMs: number
        /** When it was archived, Unix time in milliseconds; absent if it is not. */
        readonly archivedAtMs?: number | undefined
        /** In the order of the project. */
        readonly stages: readonly {
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
          /** Number of variables. */
          readonly variables: number
          /** When the stage reached its revision, Unix time in milliseconds. */
          readonly updatedAtMs: number
        }[]
      }[]
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
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
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
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
  }
  /** Create a stage without variables, at revision 1, as the last one of its project. */
  stageCreate: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
      /** Name for people; absent: the slug. */
      readonly name?: string | undefined
      /** Whether the stage is marked as production; absent: if its slug is prod, production or live. */
      readonly isProduction?: boolean | undefined
    }
    /** Body of the answer. */
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
  }
  /** Rename a stage, mark it as production, archive it or restore it from the archive. */
  stageUpdate: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
      /** Name for people; absent: as is. */
      readonly name?: string | undefined
      /** Archived: it can be evaluated but no longer written; absent: as is. */
      readonly archived?: boolean | undefined
      /** Whether the stage is marked as production; absent: as is. */
      readonly isProduction?: boolean | undefined
    }
    /** Body of the answer. */
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
  }
  /** Delete a stage with its variables, its history and the service tokens that are limited to it. */
  stageDelete: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
      /** The slug again. */
      readonly confirm: string
    }
    /** Body of the answer. */
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
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
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
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
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
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
      readonly plan: {
        /** Name of the plan. */
        readonly name: 'unlimited' | 'free'
        /** Maximum billing events per UTC calendar month; absent: unlimited. */
        readonly evaluationsPerMonth?: number | undefined
        /** Maximum bytes of all sealed values; absent: unlimited. */
        readonly storageBytes?: number | undefined
      }
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
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
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
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
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
      /** Those of the days asked for that had evaluations, by day and stage, the oldest first. */
      readonly days: readonly {
        /** YYYY-MM-DD, UTC. */
        readonly day: string
        /** Slug of the project; absent for pulls of a stage that did not exist. */
        readonly projectSlug?: string | undefined
        /** Slug of the stage; absent for pulls of a stage that did not exist. */
        readonly stageSlug?: string | undefined
        /** Number of billing events. */
        readonly evaluations: number
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
      readonly plan: {
        /** Name of the plan. */
        readonly name: 'unlimited' | 'free'
        /** Maximum billing events per UTC calendar month; absent: unlimited. */
        readonly evaluationsPerMonth?: number | undefined
        /** Maximum bytes of all sealed values; absent: unlimited. */
        readonly storageBytes?: number | undefined
      }
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
      readonly callers: readonly {
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
      }[]
      /** Whether there are more results. */
      readonly more: boolean
    } & Answered
  }
  /** List what is missing in production, service tokens that expire soon, and rolls that do not fit their chance. */
  attention: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
    }
    /** Body of the answer. */
    response: {
      /** Stages marked as production that lack variables, without archived ones; by project, in its order. */
      readonly missing: readonly {
        /** Slug of the project. */
        readonly projectSlug: string
        /** Slug of the stage, an environment of the project. */
        readonly stageSlug: string
        /** Number of variables that another stage of the project has and this one lacks. */
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
      /** Rolls of which another split was served than their chance explains; in the order of rolls. */
      readonly misfits: readonly {
        /** Slug of the project. */
        readonly projectSlug: string
        /** Slug of the stage, an environment of the project. */
        readonly stageSlug: string
        /** Name of the variable, unique within the stage, case sensitive. */
        readonly name: string
      }[]
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
        readonly kind: 'secret' | 'ab_roll'
        /** Type that the value, a string on the wire, parses as; absent: string. */
        readonly declaredType?: DeclaredType | undefined
        /** Who sees the value without a reveal. secret: no one; plain: people who may read it; client: also client programs; absent: secret. */
        readonly exposure?: 'secret' | 'plain' | 'client' | undefined
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
      /** Revisions received so far, such as dev:12,prod:7: the id of the last event; absent: all current ones. */
      readonly since?: string | undefined
    }
    /** Data of each event. */
    response: {
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
      /** Revision of the stage; 0: the stage does not exist. */
      readonly revision: number
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
      readonly grants: readonly {
        /** A person, a group or a service token. */
        readonly principal: {
          /** Kind of the principal; email: a person who is invited and has not joined yet. */
          readonly kind: 'user' | 'group' | 'token' | 'email'
          /** Id of the user at the identity provider, of the group or of the service token; or the email. */
          readonly id: string
          /** Name of the group, the active service token or the person; absent for people of an external identity provider. */
          readonly name?: string | undefined
          /** Email of the person; absent with an external identity provider. */
          readonly email?: string | undefined
        }
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
        /** Id of the user at the identity provider, or of the service token. */
        readonly grantedBy: string
      }[]
      /** Protected stages at the place or within it, ordered by slugs. */
      readonly protectedStages: readonly {
        /** Slug of the project. */
        readonly projectSlug: string
        /** Slug of the stage, an environment of the project. */
        readonly stageSlug: string
      }[]
    } & Answered
  }
  /** Grant a person, a group or a service token a role at a place. */
  accessGrant: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** A person, a group or a service token. */
      readonly principal: {
        /** Kind of the principal; email: a person who is invited and has not joined yet. */
        readonly kind: 'user' | 'group' | 'token' | 'email'
        /** Id of the user at the identity provider, of the group or of the service token; or the email. */
        readonly id: string
      }
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
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
  }
  /** Revoke the role that a principal was granted at a place. */
  accessRevoke: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** A person, a group or a service token. */
      readonly principal: {
        /** Kind of the principal; email: a person who is invited and has not joined yet. */
        readonly kind: 'user' | 'group' | 'token' | 'email'
        /** Id of the user at the identity provider, of the group or of the service token; or the email. */
        readonly id: string
      }
      /** Slug of the project; absent: the whole organization. */
      readonly projectSlug?: string | undefined
      /** Slug of the stage; absent: the whole project. */
      readonly stageSlug?: string | undefined
    }
    /** Body of the answer. */
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
  }
  /** Explain what a person, a group or a service token may do at a place, and why. */
  accessExplain: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Person, group or service token; absent: yourself. */
      readonly principal?:
        | {
            /** Kind of the principal; email: a person who is invited and has not joined yet. */
            readonly kind: 'user' | 'group' | 'token' | 'email'
            /** Id of the user at the identity provider, of the group or of the service token; or the email. */
            readonly id: string
          }
        | undefined
      /** Slug of the project; absent: the whole organization. */
      readonly projectSlug?: string | undefined
      /** Slug of the stage; absent: the whole project. */
      readonly stageSlug?: string | undefined
    }
    /** Body of the answer. */
    response: {
      /** What is allowed: list, read, write, approve, manage, in this order. */
      readonly verbs: readonly ('list' | 'read' | 'write' | 'approve' | 'manage')[]
      /** Whether the place is a protected stage. */
      readonly isProtected: boolean
      /** Everything that applies to the place. */
      readonly sources: readonly {
        /** default: the role of every member; owner, admin: the role of the member; token: the role of the service token; grant: a grant. */
        readonly from: 'default' | 'owner' | 'admin' | 'token' | 'grant'
        /** Who has the grant: the principal or one of its groups; absent: no grant. */
        readonly principal?:
          | {
              /** Kind of the principal; email: a person who is invited and has not joined yet. */
              readonly kind: 'user' | 'group' | 'token' | 'email'
              /** Id of the user at the identity provider, of the group or of the service token; or the email. */
              readonly id: string
              /** Name of the group, the active service token or the person; absent for people of an external identity provider. */
              readonly name?: string | undefined
              /** Email of the person; absent with an external identity provider. */
              readonly email?: string | undefined
            }
          | undefined
        /** Slug of the project; absent: the whole organization. */
        readonly projectSlug?: string | undefined
        /** Slug of the stage; absent: the whole project. */
        readonly stageSlug?: string | undefined
        /** Role that gives the verbs; absent for owner and admin. */
        readonly role?: string | undefined
        /** Verbs that it gives at the place; may be none, if the stage is protected. */
        readonly verbs: readonly ('list' | 'read' | 'write' | 'approve' | 'manage')[]
        /** When the grant ends, Unix time in milliseconds; absent: never. */
        readonly expiresAtMs?: number | undefined
      }[]
    } & Answered
  }
  /** Show who could read a stage, or do something else with it, now or at an earlier time. */
  accessHolders: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
      /** What they could do. @default "read" */
      readonly verb?: 'list' | 'read' | 'write' | 'approve' | 'manage' | undefined
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
      readonly holders: readonly {
        /** A person, a group or a service token. */
        readonly principal: {
          /** Kind of the principal; email: a person who is invited and has not joined yet. */
          readonly kind: 'user' | 'group' | 'token' | 'email'
          /** Id of the user at the identity provider, of the group or of the service token; or the email. */
          readonly id: string
          /** Name of the group, the active service token or the person; absent for people of an external identity provider. */
          readonly name?: string | undefined
          /** Email of the person; absent with an external identity provider. */
          readonly email?: string | undefined
        }
        /** Group that had the grant; absent: the principal itself. */
        readonly via?: string | undefined
        /** Slug of the project; absent: the whole organization. */
        readonly projectSlug?: string | undefined
        /** Slug of the stage; absent: the whole project. */
        readonly stageSlug?: string | undefined
        /** Role that gave the verb. */
        readonly role: string
      }[]
    } & Answered
  }
  /** List the groups of the organization and their members. */
  groups: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
    }
    /** Body of the answer. */
    response: {
      /** Ordered by name. */
      readonly groups: readonly {
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
          /** Id of the user at the identity provider, of the group or of the service token; or the email. */
          readonly id: string
          /** Name of the group, the active service token or the person; absent for people of an external identity provider. */
          readonly name?: string | undefined
          /** Email of the person; absent with an external identity provider. */
          readonly email?: string | undefined
        }[]
      }[]
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
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
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
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
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
      readonly add?:
        | readonly {
            /** Kind of the member; email: a person who is invited and has not joined yet. */
            readonly kind: 'user' | 'email'
            /** Id of the user at the identity provider, of the group or of the service token; or the email. */
            readonly id: string
          }[]
        | undefined
      /** People to remove. @default [] */
      readonly remove?:
        | readonly {
            /** Kind of the member; email: a person who is invited and has not joined yet. */
            readonly kind: 'user' | 'email'
            /** Id of the user at the identity provider, of the group or of the service token; or the email. */
            readonly id: string
          }[]
        | undefined
    }
    /** Body of the answer. */
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
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
      readonly roles: readonly {
        /** Role: a built-in one, or one that the organization has added. */
        readonly name: string
        /** What is allowed: list, read, write, approve, manage, in this order. */
        readonly verbs: readonly ('list' | 'read' | 'write' | 'approve' | 'manage')[]
        /** Whether every organization has it, so that it cannot be changed. */
        readonly isBuiltIn: boolean
      }[]
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
      readonly verbs: readonly ('list' | 'read' | 'write' | 'approve' | 'manage')[]
    }
    /** Body of the answer. */
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
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
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
  }
  /** Protect a stage from access that was granted around it, or end the protection; shows who loses access. */
  stageProtect: {
    /** Body or query of the request. */
    request: {
      /** Slug of the organization of the token. */
      readonly orgSlug: string
      /** Slug of the project. */
      readonly projectSlug: string
      /** Slug of the stage, an environment of the project. */
      readonly stageSlug: string
      /** Whether the stage is protected. */
      readonly isProtected: boolean
      /** Whether to change nothing and only show who would lose access. @default false */
      readonly dryRun?: boolean | undefined
    }
    /** Body of the answer. */
    response: {
      /** Those who lose verbs on the stage; people of a group are not listed one by one. */
      readonly losing: readonly {
        /** Who loses verbs; absent: every member, by the default role. */
        readonly principal?:
          | {
              /** Kind of the principal; email: a person who is invited and has not joined yet. */
              readonly kind: 'user' | 'group' | 'token' | 'email'
              /** Id of the user at the identity provider, of the group or of the service token; or the email. */
              readonly id: string
              /** Name of the group, the active service token or the person; absent for people of an external identity provider. */
              readonly name?: string | undefined
              /** Email of the person; absent with an external identity provider. */
              readonly email?: string | undefined
            }
          | undefined
        /** Verbs that they lose. */
        readonly verbs: readonly ('list' | 'read' | 'write' | 'approve' | 'manage')[]
      }[]
    } & Answered
  }
  /** Show the owner and the rights of the credential. */
  whoami: {
    /** Body or query of the request. */
    request: {}
    /** Body of the answer. */
    response: {
      /** Kind of credential. */
      readonly credential: 'provider' | 'session' | 'service'
      /** Id of the organization. */
      readonly orgId: string
      /** Slug of the organization. */
      readonly orgSlug: string
      /** Id of the user at the identity provider; absent for a service token. */
      readonly idpUserId?: string | undefined
      /** Role of the member; absent for a service token. */
      readonly role?: 'member' | 'admin' | 'owner' | undefined
      /** Name of the person; absent unless the embedded provider stores the account. */
      readonly name?: string | undefined
      /** Email of the person; absent unless the embedded provider stores the account. */
      readonly email?: string | undefined
      /** The service token; absent for people. */
      readonly serviceToken?:
        | {
            /** Id of the service token. */
            readonly id: string
            /** What the token is for. */
            readonly name: string
            /** The only project in its scope; absent: all. */
            readonly projectSlug?: string | undefined
            /** The only stage in its scope; absent: all. */
            readonly stageSlug?: string | undefined
            /** What it may do within its scope. */
            readonly role: 'viewer' | 'reader' | 'developer'
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
        | undefined
      /** What the credential may do: in the organization first, then at each project and stage where that differs from what is around it. */
      readonly verbs: readonly {
        /** Slug of the project; absent: the organization. */
        readonly projectSlug?: string | undefined
        /** Slug of the stage; absent: the whole project. */
        readonly stageSlug?: string | undefined
        /** What is allowed: list, read, write, approve, manage, in this order. */
        readonly verbs: readonly ('list' | 'read' | 'write' | 'approve' | 'manage')[]
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
      readonly role?: 'viewer' | 'reader' | 'developer' | undefined
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
      readonly role: 'viewer' | 'reader' | 'developer'
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
      readonly tokens: readonly {
        /** Id of the service token. */
        readonly id: string
        /** What the token is for. */
        readonly name: string
        /** The only project in its scope; absent: all. */
        readonly projectSlug?: string | undefined
        /** The only stage in its scope; absent: all. */
        readonly stageSlug?: string | undefined
        /** What it may do within its scope. */
        readonly role: 'viewer' | 'reader' | 'developer'
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
        /** Whether its creator is still a member; unknown if the identity provider cannot be reached. */
        readonly creator: 'member' | 'left' | 'operator' | 'unknown'
      }[]
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
      readonly role: 'viewer' | 'reader' | 'developer'
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
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
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
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
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
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
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
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
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
      readonly sessions: readonly {
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
      }[]
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
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
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
    response: {
      /** Always true, since errors have another status. */
      readonly ok: true
    } & Answered
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
          /** Whether there is an account; otherwise the setup link creates the first one. */
          readonly isSetUp: boolean
        }
      | {
          /** An external OpenID provider signs people in. */
          readonly provider: 'outside'
          /** Address at which people reach the service. */
          readonly publicUrl: string
          /** Whether the web application is configured as a client of the provider. */
          readonly signIn: boolean
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

/** Method and path of each endpoint, whether it needs no token, and whether a call is one billing event. */
export const operations = {
  evaluate: { method: 'POST', path: '/v1/env/evaluate', isPublic: false, metered: true },
  evaluateBatch: { method: 'POST', path: '/v1/env/evaluate-batch', isPublic: false, metered: true },
  pull: { method: 'POST', path: '/v1/env/pull', isPublic: false, metered: true },
  list: { method: 'POST', path: '/v1/env/list', isPublic: false, metered: false },
  write: { method: 'POST', path: '/v1/env/write', isPublic: false, metered: false },
  chance: { method: 'POST', path: '/v1/env/chance', isPublic: false, metered: false },
  attributes: { method: 'POST', path: '/v1/env/attributes', isPublic: false, metered: false },
  copy: { method: 'POST', path: '/v1/env/copy', isPublic: false, metered: false },
  reveal: { method: 'POST', path: '/v1/env/reveal', isPublic: false, metered: false },
  plain: { method: 'POST', path: '/v1/env/plain', isPublic: false, metered: false },
  manifest: { method: 'GET', path: '/v1/typegen/manifest', isPublic: false, metered: false },
  digests: { method: 'POST', path: '/v1/env/digests', isPublic: false, metered: false },
  history: { method: 'POST', path: '/v1/env/history', isPublic: false, metered: false },
  recentHistory: { method: 'POST', path: '/v1/history/recent', isPublic: false, metered: false },
  restore: { method: 'POST', path: '/v1/env/restore', isPublic: false, metered: false },
  rollCounts: { method: 'POST', path: '/v1/env/roll-counts', isPublic: false, metered: false },
  rolls: { method: 'POST', path: '/v1/rolls/list', isPublic: false, metered: false },
  audit: { method: 'POST', path: '/v1/audit/list', isPublic: false, metered: false },
  projects: { method: 'POST', path: '/v1/projects/list', isPublic: false, metered: false },
  projectCreate: { method: 'POST', path: '/v1/projects/create', isPublic: false, metered: false },
  projectUpdate: { method: 'POST', path: '/v1/projects/update', isPublic: false, metered: false },
  stageCreate: { method: 'POST', path: '/v1/stages/create', isPublic: false, metered: false },
  stageUpdate: { method: 'POST', path: '/v1/stages/update', isPublic: false, metered: false },
  stageDelete: { method: 'POST', path: '/v1/stages/delete', isPublic: false, metered: false },
  projectDelete: { method: 'POST', path: '/v1/projects/delete', isPublic: false, metered: false },
  stageOrder: { method: 'POST', path: '/v1/stages/order', isPublic: false, metered: false },
  organization: { method: 'POST', path: '/v1/organization/show', isPublic: false, metered: false },
  organizationUpdate: { method: 'POST', path: '/v1/organization/update', isPublic: false, metered: false },
  organizationDelete: { method: 'POST', path: '/v1/organization/delete', isPublic: false, metered: false },
  usage: { method: 'POST', path: '/v1/usage/show', isPublic: false, metered: false },
  usageCallers: { method: 'POST', path: '/v1/usage/callers', isPublic: false, metered: false },
  attention: { method: 'POST', path: '/v1/organization/attention', isPublic: false, metered: false },
  search: { method: 'POST', path: '/v1/env/search', isPublic: false, metered: false },
  events: { method: 'GET', path: '/v1/events', isPublic: false, metered: false },
  accessList: { method: 'POST', path: '/v1/access/list', isPublic: false, metered: false },
  accessGrant: { method: 'POST', path: '/v1/access/grant', isPublic: false, metered: false },
  accessRevoke: { method: 'POST', path: '/v1/access/revoke', isPublic: false, metered: false },
  accessExplain: { method: 'POST', path: '/v1/access/explain', isPublic: false, metered: false },
  accessHolders: { method: 'POST', path: '/v1/access/holders', isPublic: false, metered: false },
  groups: { method: 'POST', path: '/v1/groups/list', isPublic: false, metered: false },
  groupCreate: { method: 'POST', path: '/v1/groups/create', isPublic: false, metered: false },
  groupUpdate: { method: 'POST', path: '/v1/groups/update', isPublic: false, metered: false },
  groupDelete: { method: 'POST', path: '/v1/groups/delete', isPublic: false, metered: false },
  groupMembers: { method: 'POST', path: '/v1/groups/members', isPublic: false, metered: false },
  roles: { method: 'POST', path: '/v1/roles/list', isPublic: false, metered: false },
  roleSet: { method: 'POST', path: '/v1/roles/set', isPublic: false, metered: false },
  roleDelete: { method: 'POST', path: '/v1/roles/delete', isPublic: false, metered: false },
  stageProtect: { method: 'POST', path: '/v1/stages/protect', isPublic: false, metered: false },
  whoami: { method: 'GET', path: '/v1/whoami', isPublic: false, metered: false },
  tokenCreate: { method: 'POST', path: '/v1/tokens/create', isPublic: false, metered: false },
  tokenList: { method: 'POST', path: '/v1/tokens/list', isPublic: false, metered: false },
  tokenRotate: { method: 'POST', path: '/v1/tokens/rotate', isPublic: false, metered: false },
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
  sessionConfirm: { method: 'POST', path: '/v1/sessions/confirm', isPublic: false, metered: false },
  session: { method: 'GET', path: '/v1/cli/session', isPublic: false, metered: false },
  webSettings: { method: 'GET', path: '/v1/web/settings', isPublic: true, metered: false },
  webSignIn: { method: 'POST', path: '/v1/web/sign-in', isPublic: true, metered: false },
  webToken: { method: 'POST', path: '/v1/web/token', isPublic: true, metered: false },
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
  CONFIRMATION_REQUIRED: {
    status: 403,
    retry: 'no',
    advice: 'Sign in again in the web application, then repeat the request.',
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
  NOT_FOUND: {
    status: 404,
    retry: 'no',
    advice: 'Check the path and the names; the API is described at /openapi.json.',
  },
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
