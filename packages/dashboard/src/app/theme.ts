import { createTheme, rem, type AlertProps, type CSSVariablesResolver, type MantineTheme } from '@mantine/core'
import { colors, scales, sizes, variableName } from '../ui/tokens.ts'
import { labels } from '../ui/labels.ts'

/** Tokens of Mantine's colors by their names. */
const tokens: Readonly<Record<string, string>> = {
  verdigris: 'accent',
  red: 'danger',
  yellow: 'warning',
  violet: 'pending',
  blue: 'a',
  orange: 'b',
}

/** Returns a tint with text in the usual color, which is quieter than the default. */
function alertColors(_: MantineTheme, { color }: AlertProps) {
  const token = tokens[color ?? '']
  if (token === undefined) {
    const quiet = { '--alert-color': 'var(--text)', '--alert-bg': 'var(--surface-hover)' }
    return { root: { ...quiet, '--alert-bd': '1px solid var(--border)' } }
  }
  return {
    root: {
      '--alert-color': `var(--${token}-text)`,
      '--alert-bg': `var(--${token}-soft)`,
      '--alert-bd': `1px solid color-mix(in srgb, var(--${token}) 35%, transparent)`,
    },
  }
}

const transitionProps = { duration: 120 }

/**
 * Defaults of dialogs and drawers. Mantine would lock the page behind one with a style element, which the content security policy
 * refuses. Drawers lock it themselves.
 */
const overlay = {
  lockScroll: false,
  transitionProps,
  overlayProps: { backgroundOpacity: 0.4 },
  classNames: { title: 'dialog-title' },
  closeButtonProps: { 'aria-label': labels.close, size: 'md' },
} as const

const smallSize = { defaultProps: { size: 'sm' } }

export const theme = createTheme({
  colors: scales,
  primaryColor: 'verdigris',
  primaryShade: 7,
  black: colors.text.light,
  fontFamily: "'Geist Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace: "'Geist Mono Variable', ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  fontSizes: { xs: rem(12), sm: rem(13), md: rem(14), lg: rem(16), xl: rem(20) },
  lineHeights: { xs: '1.35', sm: '1.4', md: '1.43', lg: '1.5', xl: '1.4' },
  headings: {
    fontWeight: '600',
    textWrap: 'balance',
    sizes: {
      h1: { fontSize: rem(24), lineHeight: '1.33' },
      h2: { fontSize: rem(20), lineHeight: '1.4' },
      h3: { fontSize: rem(16), lineHeight: '1.5' },
      h4: { fontSize: rem(14), lineHeight: '1.43' },
    },
  },
  spacing: { xs: rem(8), sm: rem(12), md: rem(16), lg: rem(24), xl: rem(32) },
  radius: { xs: rem(3), sm: rem(4), md: rem(6), lg: rem(8), xl: rem(12) },
  defaultRadius: 'md',
  shadows: {
    xs: '0 1px 2px rgb(0 0 0 / 6%)',
    sm: '0 1px 3px rgb(0 0 0 / 8%)',
    md: '0 4px 16px rgb(0 0 0 / 10%)',
    lg: '0 8px 28px rgb(0 0 0 / 14%)',
    xl: '0 16px 48px rgb(0 0 0 / 18%)',
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 'md' } },
    Alert: {
      vars: alertColors,
      defaultProps: { p: 'sm' },
      styles: { icon: { marginInlineEnd: 'var(--mantine-spacing-xs)' } },
    },
    Anchor: { defaultProps: { underline: 'always' } },
    Badge: { defaultProps: { variant: 'light', color: 'gray', tt: 'none', size: 'md', radius: 'sm', fw: 500 } },
    Button: smallSize,
    Checkbox: smallSize,
    Radio: smallSize,
    Switch: { defaultProps: { size: 'sm', withThumbIndicator: false } },
    SegmentedControl: smallSize,
    Input: smallSize,
    // Every field of the forms must be filled in.
    InputWrapper: { defaultProps: { size: 'sm', withAsterisk: false } },
    TextInput: smallSize,
    NumberInput: smallSize,
    Textarea: { defaultProps: { size: 'sm', autosize: true, minRows: 3 } },
    Select: smallSize,
    MultiSelect: smallSize,
    NativeSelect: smallSize,
    PasswordInput: {
      defaultProps: {
        size: 'sm',
        visibilityToggleFocusable: true,
        visibilityToggleButtonProps: { 'aria-label': labels.showPassword },
      },
    },
    Table: { defaultProps: { verticalSpacing: 7, horizontalSpacing: 'sm', highlightOnHover: true } },
    Tabs: { defaultProps: { keepMounted: false } },
    Menu: { defaultProps: { shadow: 'md', transitionProps, position: 'bottom-start' } },
    Popover: { defaultProps: { shadow: 'md', transitionProps } },
    Tooltip: { defaultProps: { openDelay: 400, transitionProps, events: { hover: true, focus: true, touch: false } } },
    // Outside of main, its element would count as another head of the whole page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    Modal: { defaultProps: { ...overlay, centered: true, shadow: 'lg' } },
    Drawer: { defaultProps: { ...overlay, position: 'right', size: 560 } },
  },
})

function schemeOf(scheme: 'light' | 'dark'): Record<string, string> {
  const own = Object.entries(colors).map(([token, pair]) => [variableName(token), pair[scheme]])
  // Mantine's own have too little contrast.
  const light = Object.entries(tokens).flatMap(([color, token]) => [
    [`--mantine-color-${color}-light`, `var(--${token}-soft)`],
    [`--mantine-color-${color}-light-hover`, `color-mix(in srgb, var(--${token}-soft) 70%, var(--surface))`],
    [`--mantine-color-${color}-light-color`, `var(--${token}-text)`],
  ])
  return {
    ...Object.fromEntries([...own, ...light]),
    '--mantine-color-body': 'var(--surface)',
    '--mantine-color-text': 'var(--text)',
    '--mantine-color-dimmed': 'var(--text-muted)',
    '--mantine-color-placeholder': 'var(--text-faint)',
    '--mantine-color-anchor': 'var(--accent-text)',
    '--mantine-color-error': 'var(--danger-text)',
    '--mantine-color-success': 'var(--accent-text)',
    '--mantine-color-default': 'var(--surface-raised)',
    '--mantine-color-default-hover': 'var(--surface-hover)',
    '--mantine-color-default-color': 'var(--text)',
    '--mantine-color-default-border': 'var(--border)',
    '--mantine-color-gray-light': 'var(--surface-hover)',
    '--mantine-color-gray-light-color': 'var(--text-muted)',
  }
}

/** The tokens as CSS variables, and Mantine's own variables expressed by them. */
export const tokenVariables: CSSVariablesResolver = () => ({
  variables: Object.fromEntries(Object.entries(sizes).map(([token, size]) => [variableName(token), size])),
  light: schemeOf('light'),
  dark: schemeOf('dark'),
})
