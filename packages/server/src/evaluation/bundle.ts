/**
 * A stage as the ready text of a pull's answer, sealed in memory: opening a thousand values one by one costs a thousand
 * set-ups of the cipher, opening the bundle costs one. Built by the first pull of a revision, it goes with its stage.
 *
 * The text is cut at every roll: text | value A | value B | text | … , so that a pull joins the texts with the values
 * that its seed gives.
 */
import type { Stage } from '../variables/stages.ts'
import type { Choice, StoredVariable } from '../variables/kinds/kind.ts'
import { kinds } from '../variables/kinds/index.ts'

interface Bundle {
  readonly sealed: Buffer
  readonly rolls: readonly CutRoll[]
}

interface CutRoll {
  readonly variable: StoredVariable
  /** Where the value of each role begins; each ends where the next begins, the last at `end`. */
  readonly starts: readonly number[]
  readonly end: number
}

const bundles = new WeakMap<Stage, Bundle>()
// A place in the AAD that no stored variable can have: names are not empty.
const [bundleName, bundleKind, bundleRole] = ['', 'pull', 'bundle']

/** A value's plaintext as JSON text. Throws CannotOpen. */
function jsonOf(stage: Stage, { name, kind, payloads }: StoredVariable, role: number): string {
  const { roles } = kinds[kind]
  const opened = stage.sealer.open(name, kind, roles[role] ?? '', payloads[role] ?? Buffer.alloc(0))
  return JSON.stringify(opened.toString())
}

function build(stage: Stage): Bundle {
  const parts: string[] = []
  const rolls: CutRoll[] = []
  let length = 0
  const add = (text: string): number => {
    parts.push(text)
    return (length += Buffer.byteLength(text))
  }
  let comma = ''
  for (const variable of stage.variables.values()) {
    add(`${comma}${JSON.stringify(variable.name)}:`)
    comma = ','
    const { roles } = kinds[variable.kind]
    const starts = roles.map((_, role) => {
      const start = length
      add(jsonOf(stage, variable, role))
      return start
    })
    if (roles.length > 1) rolls.push({ variable, starts, end: length })
  }
  return { sealed: stage.sealer.seal(bundleName, bundleKind, bundleRole, Buffer.from(parts.join(''))), rolls }
}

/**
 * The members of the answer's `variables` object, `"NAME":"value",…`, as text. Throws CannotOpen if any value of the stage
 * does not open.
 */
export function openBundle(stage: Stage, choose: (variable: StoredVariable) => Choice): Buffer {
  let bundle = bundles.get(stage)
  if (!bundle) {
    bundle = build(stage)
    bundles.set(stage, bundle)
  }
  const text = stage.sealer.open(bundleName, bundleKind, bundleRole, bundle.sealed)
  return bundle.rolls.length === 0 ? text : withChoices(text, bundle.rolls, choose)
}

/** The text with one value of each roll left in it: copied piece by piece into the text's own memory, from the front. */
function withChoices(text: Buffer, rolls: readonly CutRoll[], choose: (variable: StoredVariable) => Choice): Buffer {
  let from = 0
  let to = 0
  for (const { variable, starts, end } of rolls) {
    const { role } = choose(variable)
    to += text.copy(text, to, from, starts[0])
    to += text.copy(text, to, starts[role], starts[role + 1] ?? end)
    from = end
  }
  to += text.copy(text, to, from)
  return text.subarray(0, to)
}
