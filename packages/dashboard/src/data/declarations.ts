/** What a project expects of its variables. */
import type { Answer, ListedDeclaration, Request, StageSlugs } from '@rollkey/sdk/core'
import type { DeclarationsDocument } from '@rollkey/contract/rules'
import { queryOptions } from '@tanstack/react-query'
import { ask, type Scope } from '../session/scope.ts'
import { stageKey } from './stages.ts'

export type StatedDeclaration = Request<'declarationSet'>['declarations'][number]
export type StageCheck = Answer<'declarationCheck'>

export const declarationsQuery = (scope: Scope, projectSlug: string) =>
  queryOptions({
    queryKey: ['declarations', scope.orgSlug, projectSlug],
    queryFn: async (): Promise<readonly ListedDeclaration[]> =>
      (await ask(scope, 'declarationList', { projectSlug })).declarations,
  })

const checkKind = 'declaration-check'

/** Begins the keys of the comparisons of all stages of a project. */
export function checkKey({ orgSlug }: Pick<Scope, 'orgSlug'>, projectSlug: string): readonly unknown[] {
  return [checkKind, orgSlug, projectSlug]
}

/** Compares a stage with what its project declares. No value is in the answer. */
export const checkQuery = (scope: Scope, place: StageSlugs) =>
  queryOptions({
    queryKey: stageKey(checkKind, scope, place),
    queryFn: () => ask(scope, 'declarationCheck', place),
  })

/** Compares a stage with a document that is not stored. */
export function checkDocument(scope: Scope, place: StageSlugs, document: DeclarationsDocument): Promise<StageCheck> {
  return ask(scope, 'declarationCheck', { ...place, document })
}

/** Declares a variable, or replaces its declaration. */
export async function declare(scope: Scope, projectSlug: string, declaration: StatedDeclaration): Promise<void> {
  await ask(scope, 'declarationSet', { projectSlug, declarations: [declaration] })
}

export async function deleteDeclaration(scope: Scope, projectSlug: string, name: string): Promise<void> {
  await ask(scope, 'declarationDelete', { projectSlug, names: [name] })
}

/** Replaces all declarations of a project. */
export async function replaceDeclarations(
  scope: Scope,
  projectSlug: string,
  document: DeclarationsDocument,
): Promise<void> {
  await ask(scope, 'declarationReplace', { projectSlug, document })
}
