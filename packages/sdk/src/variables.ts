/** The types that generated declarations narrow. They are in a separate module so that declarations can augment it. */
import type { Value } from '@rollkey/contract/rules'

/**
 * Names and types of the variables. `rollkey typegen` writes its members.
 *
 * @example
 * import type {} from '@rollkey/sdk'
 * declare module '@rollkey/sdk' {
 *   interface Variables {
 *     API_KEY: string
 *     LIMIT: bigint
 *   }
 * }
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- declarations of users merge with it
export interface Variables {}

/** A declared name, or any text if no name is declared. */
export type Name = keyof Variables extends never ? string : Extract<keyof Variables, string>

/** The type of the value of a variable. */
export type ValueOf<N> = N extends keyof Variables ? Variables[N] : Value
