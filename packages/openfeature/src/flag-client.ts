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

type FlagTypeOf<Value> = [Value] extends [boolean]
  ? 'boolean'
  : [Value] extends [string | Date]
    ? 'string'
    : [Value] extends [number | bigint]
      ? 'number'
      : 'object'

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

type Rest<Value> = [defaultValue: Value, context?: EvaluationContext, options?: FlagEvaluationOptions]

interface Evaluations {
  getBooleanValue(key: BooleanFlagKey, ...rest: Rest<boolean>): Promise<boolean>
  getBooleanDetails(key: BooleanFlagKey, ...rest: Rest<boolean>): Promise<EvaluationDetails<boolean>>
  getStringValue(key: StringFlagKey, ...rest: Rest<string>): Promise<string>
  getStringDetails(key: StringFlagKey, ...rest: Rest<string>): Promise<EvaluationDetails<string>>
  getNumberValue(key: NumberFlagKey, ...rest: Rest<number>): Promise<number>
  getNumberDetails(key: NumberFlagKey, ...rest: Rest<number>): Promise<EvaluationDetails<number>>
  getObjectValue<Value extends JsonValue = JsonValue>(key: ObjectFlagKey, ...rest: Rest<Value>): Promise<Value>
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
 * const flags: FlagClient = OpenFeature.getClient()
 * const isNew = await flags.getBooleanValue('NEW_CHECKOUT', false, { targetingKey: user.id })
 */
export type FlagClient = Omit<Client, keyof Evaluations> & Evaluations
