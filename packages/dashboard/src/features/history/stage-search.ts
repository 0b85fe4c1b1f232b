/** The search parameters of pages about a stage, or about one of its variables. */
export interface StageSearch {
  readonly stage?: string | undefined
  /** Of a variable: a parameter, since it may have any characters. */
  readonly name?: string | undefined
}

export function stageSearch({ stage, name }: Readonly<Record<string, unknown>>): StageSearch {
  return { ...(isText(stage) && { stage }), ...(isText(name) && { name }) }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
