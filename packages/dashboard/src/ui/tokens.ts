/**
 * The colors and sizes of the web application, as docs/design.md describes them. The theme turns each into a CSS variable:
 * `dangerText` is `var(--danger-text)`.
 */
type Shades = readonly [string, string, string, string, string, string, string, string, string, string]

function shades(text: string): Shades {
  return text.split(' ') as unknown as Shades
}

/** Color scales, from light to dark. Components use the tokens below; Mantine derives hover colors from the scales. */
export const scales = {
  verdigris: shades('#ecfbf7 #d9f6ee #b6ebde #8addca #55c8b1 #28ae97 #04907c #077565 #015f51 #024a3e'),
  red: shades('#fef5f3 #fee9e6 #fed2cc #ffb5ac #ff8b7f #fc544c #db3330 #ba161b #9b0510 #7a0109'),
  orange: shades('#fff5ee #feeadc #fed5b6 #ffb984 #f79641 #dd7907 #b76300 #965002 #7a4000 #5f3102'),
  blue: shades('#f3f7fe #e5effe #cbe0fe #abcdff #7fb3fe #4d95ff #2f78e1 #1a60c1 #0e4da1 #033a81'),
  violet: shades('#f7f6ff #efecfe #e0d8fe #cec0ff #b89efe #a179fd #875cde #6f46be #5a369e #472680'),
  yellow: shades('#fdf7e7 #faeed0 #f2dca7 #e8c774 #d5ab36 #ba9005 #997602 #7d6004 #654e04 #4f3b00'),
  gray: shades('#f8fafa #f1f5f6 #e6eaeb #d7dcdc #c1c5c5 #959d9e #71797a #535b5c #353c3d #151c1d'),
  dark: shades('#e2ebed #b7c0c1 #959d9f #606869 #373f40 #272e2f #1b2223 #12181a #0c1213 #050a0b'),
}

const { verdigris, red, orange, blue, violet, yellow, gray, dark } = scales

interface Pair {
  readonly light: string
  readonly dark: string
}

function pair(light: string, darkColor: string): Pair {
  return { light, dark: darkColor }
}

/** Color tokens by purpose. Each text color is readable (WCAG 2.2 AA) on the surfaces and on its own soft color. */
export const colors = {
  surface: pair('#ffffff', dark[7]),
  surfaceSunken: pair(gray[0], dark[8]),
  surfaceRaised: pair('#ffffff', dark[6]),
  surfaceHover: pair(gray[1], dark[6]),
  surfaceSelected: pair(verdigris[0], '#0f2a26'),
  border: pair(gray[2], dark[5]),
  borderStrong: pair('#868e8f', '#6b7374'),
  text: pair(gray[9], dark[0]),
  textMuted: pair(gray[7], dark[1]),
  textFaint: pair('#666e6f', dark[2]),

  accent: pair(verdigris[7], verdigris[4]),
  accentText: pair(verdigris[7], verdigris[4]),
  accentSoft: pair(verdigris[1], '#10332d'),

  a: pair(blue[6], blue[4]),
  aText: pair(blue[7], blue[3]),
  aSoft: pair(blue[1], '#14284a'),
  b: pair(orange[5], orange[4]),
  bText: pair(orange[7], orange[3]),
  bSoft: pair(orange[1], '#3a2209'),

  danger: pair(red[7], red[6]),
  dangerText: pair(red[7], red[4]),
  dangerSoft: pair(red[1], '#3d1514'),
  warning: pair(yellow[5], yellow[4]),
  warningText: pair(yellow[7], yellow[3]),
  warningSoft: pair(yellow[1], '#2f2508'),
  pending: pair(violet[6], violet[4]),
  pendingText: pair(violet[7], violet[3]),
  pendingSoft: pair(violet[1], '#2a1f47'),
} as const satisfies Record<string, Pair>

/** Text colors and the colors that they stand on. The contrast of each pair is at least 4.5:1 in both schemes. */
export const textOnColor = {
  text: ['surface', 'surfaceSunken', 'surfaceRaised', 'surfaceHover', 'surfaceSelected'],
  textMuted: ['surface', 'surfaceSunken', 'surfaceRaised', 'surfaceHover', 'surfaceSelected'],
  textFaint: ['surface', 'surfaceSunken', 'surfaceRaised', 'surfaceHover'],
  accentText: ['surface', 'surfaceSunken', 'surfaceHover', 'surfaceSelected', 'accentSoft'],
  aText: ['surface', 'surfaceHover', 'aSoft'],
  bText: ['surface', 'surfaceHover', 'bSoft'],
  dangerText: ['surface', 'surfaceHover', 'dangerSoft'],
  warningText: ['surface', 'surfaceHover', 'warningSoft'],
  pendingText: ['surface', 'surfaceHover', 'pendingSoft'],
} as const satisfies Partial<Record<keyof typeof colors, readonly (keyof typeof colors)[]>>

/** Grounds of inputs and buttons. The contrast of their border is at least 3:1 in both schemes. */
export const inputGrounds = ['surface', 'surfaceSunken', 'surfaceRaised'] as const satisfies (keyof typeof colors)[]

/** Sizes that both schemes share. */
export const sizes = {
  /** Buttons and inputs. Under a finger they are larger: see global.css. */
  controlHeight: '2rem',
  rowHeight: '2.25rem',
  /** Widths of a page's body. */
  widthReading: '47.5rem',
  widthPage: '102.5rem',
  /** How long a motion takes. */
  motion: '120ms',
} as const

/** Returns the name of a token's CSS variable, such as `--danger-text`. */
export function variableName(token: string): string {
  return `--${token.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
