import type { Digested } from '@rollkey/contract'
import { useQuery } from '@tanstack/react-query'
import { digestsQuery, type Place } from './queries.ts'
import { useScope } from '../../session/use-scope.ts'

interface StageVariable {
  /** Undefined: the stage has no such variable. */
  readonly variable: Digested | undefined
  /** Of the stage, as of which this is so. */
  readonly revision: number
}

/** A variable of a stage that is shown already, and so is not asked for anew. */
export function useStageVariable(place: Place, name: string): StageVariable {
  const { data } = useQuery({ ...digestsQuery(useScope(), place), refetchOnMount: false })
  return { variable: data?.variables.find((each) => each.name === name), revision: data?.revision ?? 0 }
}
