import { createTheme, type AlertProps, type CSSVariablesResolver, type MantineTheme } from '@mantine/core'

/** A tint with text in the usual color: the default has titles of too little contrast, and is loud in the dark. */
function alertColors(_: MantineTheme, { color }: AlertProps) {
  const mixed = (share: number) => `color-mix(in srgb, var(--mantine-color-${color}-filled) ${share}%, transparent)`
  return {
    root: {
      '--alert-color': 'var(--mantine-color-text)',
      '--alert-bg': mixed(10),
      '--alert-bd': `1px solid ${mixed(45)}`,
    },
  }
}

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  headings: { fontWeight: '650' },
  components: {
    Alert: { vars: alertColors },
    Anchor: { defaultProps: { underline: 'always' } },
    Badge: { defaultProps: { variant: 'light', tt: 'none', size: 'lg' } },
    Button: { defaultProps: { size: 'md' } },
    // Every field of the forms must be filled in.
    InputWrapper: { defaultProps: { withAsterisk: false } },
    TextInput: { defaultProps: { size: 'md' } },
    NativeSelect: { defaultProps: { size: 'md' } },
    PasswordInput: {
      defaultProps: {
        size: 'md',
        visibilityToggleFocusable: true,
        visibilityToggleButtonProps: { 'aria-label': 'Show what is typed' },
      },
    },
    // External of main, its element would count as another head of the whole page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    // Locking the page behind a dialog would add a style element, which the content security policy refuses.
    Modal: {
      defaultProps: {
        lockScroll: false,
        centered: true,
        classNames: { title: 'dialog-title' },
        closeButtonProps: { 'aria-label': 'Close' },
      },
    },
    Drawer: {
      defaultProps: {
        lockScroll: false,
        position: 'right',
        size: 520,
        classNames: { title: 'dialog-title' },
        closeButtonProps: { 'aria-label': 'Close' },
      },
    },
    NumberInput: { defaultProps: { size: 'md' } },
    Textarea: { defaultProps: { size: 'md' } },
  },
})

/** Texts that the default theme shows with too little contrast (WCAG 2.2, 1.4.3). */
export const readableColors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-2)',
  },
})
