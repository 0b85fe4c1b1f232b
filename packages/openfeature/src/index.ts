export type { BooleanFlagKey, FlagClient, NumberFlagKey, ObjectFlagKey, StringFlagKey } from './flag-client.ts'
export { RollkeyProvider, type RollkeyProviderOptions } from './provider.ts'
