/** Code that loads when it is needed. */

const retryMs = 2_000

/**
 * Loads code, and tries again until the server that has it answers. Never rejects, because a part that cannot be loaded must not
 * take the page away.
 *
 * @example
 * const Palette = lazy(async () => ({ default: (await loaded(() => import('./palette.tsx'))).Palette }))
 */
export async function loaded<Code>(load: () => Promise<Code>): Promise<Code> {
  for (;;) {
    try {
      return await load()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }
}
