/** Flag keys, narrowed to the variables that `rollkey typegen` has declared. Without declarations, any string is a key. */
import type {
  Client,
  EvaluationContext,
  EvaluationDetails,
  FlagEvaluationOptions,
  FlagValueType,
  JsonValue,
} from '@openfeature/server-sdk'
import type { Name, ValueOf, Variables } from '@rollkey/sdk'

/** The flag type of a variable, by the type of its value. */
type FlagTypeOf<Value> = [Value] extends [boolean]
  ? 'boolean'
  : [Value] extends [string | Date]
    ? 'string'
    : [Value] extends [number | bigint]
      ? 'number'
      : 'object'

/** The names of the variables of a flag type. */
type FlagKey<Type extends FlagValueType> = keyof Variables extends never
  ? string
  : { [N in Name]: FlagTypeOf<ValueOf<N>> extends Type ? N : never }[Name]

/** Variables of declared type boolean. */
export type BooleanFlagKey = FlagKey<'boolean'>
/** Variables of declared type string or date, and those without a declared type. */
export type StringFlagKey = FlagKey<'string'>
/** Variables of declared type int64 or float. */
export type NumberFlagKey = FlagKey<'number'>
/** Variables of declared type json. */
export type ObjectFlagKey = FlagKey<'object'>

/** The arguments after the key: the value for errors, the context with the targeting key, and hooks. */
type Rest<Value> = [defaultValue: Value, context?: EvaluationContext, options?: FlagEvaluationOptions]

/**
 * The methods of OpenFeature's client that take a key.
 *
 * @example
 * import { OpenFeature } from '@openfeature/server-sdk'
 * import type { FlagClient } from '@rollkey/openfeature'
 *
 * const flags: FlagClient = OpenFeature.getClient()
 * const { value, variant } = await flags.getStringDetails('BUTTON', 'blue', { targetingKey: user.id })
 */
interface Evaluations {
  /** Returns a boolean flag. Never throws: after an error, it returns the default value. */
  getBooleanValue(key: BooleanFlagKey, ...rest: Rest<boolean>): Promise<boolean>
  /** Returns a boolean flag with reason, variant and error. Never throws. */
  getBooleanDetails(key: BooleanFlagKey, ...rest: Rest<boolean>): Promise<EvaluationDetails<boolean>>
  /** Returns a string flag. Never throws: after an error, it returns the default value. */
  getStringValue(key: StringFlagKey, ...rest: Rest<string>): Promise<string>
  /** Returns a string flag with reason, variant and error. Never throws. */
  getStringDetails(key: StringFlagKey, ...rest: Rest<string>): Promise<EvaluationDetails<string>>
  /** Returns a number flag. Never throws: after an error, it returns the default value. */
  getNumberValue(key: NumberFlagKey, ...rest: Rest<number>): Promise<number>
  /** Returns a number flag with reason, variant and error. Never throws. */
  getNumberDetails(key: NumberFlagKey, ...rest: Rest<number>): Promise<EvaluationDetails<number>>
  /** Returns a JSON flag. Never throws: after an error, it returns the default value. */
  getObjectValue<Value extends JsonValue = JsonValue>(key: ObjectFlagKey, ...rest: Rest<Value>): Promise<Value>
  /** Returns a JSON flag with reason, variant and error. Never throws. */
  getObjectDetails<Value extends JsonValue = JsonValue>(
    key: ObjectFlagKey,
    ...rest: Rest<Value>
  ): Promise<EvaluationDetails<Value>>
}

/**
 * OpenFeature's client with keys that the compiler checks. The key types of `@openfeature/core` cannot be narrowed from
 * outside: they are aliases, and a second declaration of an alias is an error that only `skipLibCheck` hides.
 *
 * @example
 * import { OpenFeature } from '@openfeature/server-sdk'
 * import type { FlagClient } from '@rollkey/openfeature'
 *
 * const flags: FlagClient = OpenFeature.getClient()
 * const isNew = await flags.getBooleanValue('NEW_CHECKOUT', false, { targetingKey: user.id })
 */
export type FlagClient = Omit<Client, keyof Evaluations> & Evaluations
