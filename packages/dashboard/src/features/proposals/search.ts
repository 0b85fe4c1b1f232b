/** The addresses of proposed changes. */

export const shownNames = ['open', 'yours', 'all'] as const
/** Which changes are listed. */
export type Shown = (typeof shownNames)[number]

export interface ProposalsSearch {
  /** @default 'open' */
  readonly show?: Shown | undefined
}

export function proposalsSearch({ show }: Record<string, unknown>): ProposalsSearch {
  return { show: shownNames.find((name) => name === show) }
}

export interface ProposalSearch {
  /** Slugs of the change's project and stage. */
  readonly project: string
  readonly stage: string
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function proposalSearch({ project, stage }: Record<string, unknown>): ProposalSearch {
  return { project: text(project), stage: text(stage) }
}
