/** Commands of the page: the palette offers them, keys run them, and the help sheet lists them. */
import { useLocalStorage, useWindowEvent } from '@mantine/hooks'
import { type RefObject, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import { isApple } from '../lib/browser.ts'
import type { Icon } from './icons.ts'

export interface Command {
  /** The id for `requestCommand`. Absent: the command cannot be requested. */
  readonly id?: string
  /** An imperative sentence, such as "New variable". */
  readonly label: string
  readonly icon?: Icon
  /** Keys such as `n`, `shift+x`, `mod+k`, or `g p` for one after another. Absent: only the palette runs it. */
  readonly keys?: string
  /**
   * The key counts only while the focus is in this element, also in a dialog, and the palette leaves it out; absent: the key
   * counts on the whole page.
   */
  readonly within?: RefObject<HTMLElement | null>
  /**
   * Whether only the key runs it.
   * @default false
   */
  readonly isKeyOnly?: boolean
  /**
   * Whether what has the focus handles the keys itself, and the help sheet only lists them.
   * @default false
   */
  readonly isNative?: boolean
  /**
   * Whether the key also counts while a drawer is open, because what it does is in sight. A question covers it too.
   * @default false
   */
  readonly isOverDrawers?: boolean
  readonly run: () => void
}

interface Layer {
  readonly commands: readonly Command[]
  /** Heading in the help sheet. Undefined: commands of the page. */
  readonly group: string | undefined
  readonly isGlobal: boolean
}

/** Offered commands, the page's before the shell's. */
const layers: { current: Layer }[] = []

interface Options {
  /** Heading in the help sheet. Absent: commands of the page. */
  readonly group?: string
  /**
   * Whether every page has them.
   * @default false
   */
  readonly isGlobal?: boolean
}

/**
 * Offers commands while the component is shown.
 *
 * @example
 * useCommands([{ id: 'new-project', label: 'New project', keys: 'n', run: open }])
 */
export function useCommands(commands: readonly Command[], { group, isGlobal = false }: Options = {}): void {
  const layer = useRef<Layer>({ commands, group, isGlobal })
  useLayoutEffect(() => {
    layer.current = { commands, group, isGlobal }
  })
  useEffect(() => {
    if (isGlobal) layers.push(layer)
    else layers.unshift(layer)
    return () => {
      layers.splice(layers.indexOf(layer), 1)
      notify()
    }
  }, [isGlobal])
  useEffect(() => {
    const command = takeRequested(commands)
    command?.run()
    notify()
  })
}

/** Returns the offered commands, the page's first. */
export function offeredCommands(): readonly Layer[] {
  return layers.map(({ current }) => current)
}

const listeners = new Set<() => void>()

function notify(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function offeredLabels(): string {
  return layers.flatMap(({ current }) => current.commands.map(({ label }) => label)).join('\n')
}

/** Returns the offered commands, and renders again when others are offered, such as those of a page that was loading. */
export function useOfferedCommands(): readonly Layer[] {
  useSyncExternalStore(subscribe, offeredLabels)
  return offeredCommands()
}

/** How long a request waits for its page. */
const requestedForMs = 10_000
let requested: { readonly id: string; readonly untilMs: number } | undefined

/** Runs the command with the id now, or when the page that is opening offers it. */
export function requestCommand(id: string): void {
  requested = { id, untilMs: performance.now() + requestedForMs }
  const command = layers.map(({ current }) => takeRequested(current.commands)).find((each) => each !== undefined)
  command?.run()
}

function takeRequested(commands: readonly Command[]): Command | undefined {
  if (!requested || requested.untilMs < performance.now()) return undefined
  const { id } = requested
  const command = commands.find((each) => each.id === id)
  if (command) requested = undefined
  return command
}

/** Returns whether single keys run commands, and how to change that: people who dictate turn them off (WCAG 2.2, 2.1.4). */
export function useCharacterKeys() {
  return useLocalStorage({ key: 'rollkey-character-keys', defaultValue: true, getInitialValueInEffect: false })
}

/** How long after the first key the second one belongs to it. */
const sequenceMs = 1000

/** Runs commands by their keys. Only the shell calls it. */
export function useCommandKeys(): void {
  const [hasCharacterKeys] = useCharacterKeys()
  const before = useRef({ key: '', atMs: 0 })
  useWindowEvent('keydown', (event) => {
    const key = keyOf(event)
    const isCharacter = !key?.startsWith('mod+')
    if (!key || event.defaultPrevented || event.isComposing) return
    if (isCharacter && !hasCharacterKeys) return
    // A field has its own undo and redo.
    if ((isCharacter || /\+[yz]$/.test(key)) && isTyping(event.target)) return
    const { key: first, atMs } = before.current
    before.current = { key, atMs: event.timeStamp }
    const keys = event.timeStamp - atMs < sequenceMs ? `${first} ${key}` : key
    const command = commandOf(keys, event.target) ?? commandOf(key, event.target)
    if (!command) return
    event.preventDefault()
    before.current = { key: '', atMs: 0 }
    // The key that saves a form would, while it is held, also confirm the question that follows.
    if (!event.repeat || !key.endsWith('enter')) command.run()
  })
}

/** Returns the name of the pressed keys; undefined for those that no command may have. */
function keyOf({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): string | undefined {
  const hasMod = isApple ? metaKey : ctrlKey
  // Shift and Alt are part of a sign such as "?" or "[", whose place differs between keyboards.
  const isSign = key.length === 1 && key.toLowerCase() === key.toUpperCase()
  if ((altKey && !isSign) || (isApple ? ctrlKey : metaKey) || ['Shift', 'Control', 'Meta', 'Alt'].includes(key))
    return undefined
  const name = key === ' ' ? 'space' : key.toLowerCase()
  return `${hasMod ? 'mod+' : ''}${shiftKey && !isSign ? 'shift+' : ''}${name}`
}

function commandOf(keys: string, target: EventTarget | null): Command | undefined {
  const isInLayer = target instanceof Element && target.closest('[role=menu], [role=listbox]') !== null
  // Behind a question, no key acts; behind a drawer, only one whose effect is in sight.
  const isAsked = document.querySelector('[role=dialog]:not(.mantine-Drawer-content)') !== null
  const isCovered = document.querySelector('[role=dialog]') !== null
  return offeredCommands()
    .flatMap(({ commands }) => commands)
    .find(({ keys: own, within, isNative = false, isOverDrawers = false }) => {
      if (own !== keys || isInLayer || isNative) return false
      if (within) return target instanceof Node && within.current?.contains(target)
      return isOverDrawers ? !isAsked : !isCovered
    })
}

const typed = 'input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable]'

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(typed) !== null
}
