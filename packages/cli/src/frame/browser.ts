/** Pages that a command opens in the browser of its user. */
import type { Context } from './context.ts'

/** Returns whether a browser that this process opens would be visible to the user. */
export function hasDesktop({ env, out, prompt }: Context): boolean {
  if (!prompt.isPossible || out.isJson || env['SSH_CONNECTION'] || env['SSH_TTY']) return false
  return process.platform !== 'linux' || Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY'])
}

export async function openBrowser(url: string): Promise<void> {
  const { default: open } = await import('open')
  // The address is on the screen already, so a desktop without a browser is not an error.
  await open(url).catch(() => undefined)
}
