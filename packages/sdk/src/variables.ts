/** The types that a program's generated declarations narrow. A module of its own, so that these can add to it. */
import type { Value } from './values.ts'

/**
 * Names and types of the variables, which `rollkey typegen` declares:
 * `declare module '@rollkey/sdk' { interface Variables { API_KEY: string; LIMIT: bigint } }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- declarations of users merge with it
export interface Variables {}

/** A declared name; any text as long as none is declared. */
export type Name = keyof Variables extends never ? string : Extract<keyof Variables, string>

/** Type of the value of a variable. */
export type ValueOf<N> = N extends keyof Variables ? Variables[N] : Value
