import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { MoonIcon } from '../../ui/moon-icon.tsx'
import { SunIcon } from '../../ui/sun-icon.tsx'

export function ColorSchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  return (
    <ActionIcon
      variant="default"
      size={44}
      aria-label={isDark ? 'Use light colors' : 'Use dark colors'}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? <SunIcon /> : <MoonIcon />}
    </ActionIcon>
  )
}
