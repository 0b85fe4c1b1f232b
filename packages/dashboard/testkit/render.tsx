import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render as renderBare, type RenderResult } from '@testing-library/react'
import type { ReactNode } from 'react'
import { theme } from '../src/app/theme.ts'

/**
 * Renders a component with the theme and an empty query cache. Transitions are off.
 *
 * @example
 * render(<ChanceInput value={0.5} onChange={onChange} />)
 */
export function render(children: ReactNode): RenderResult {
  return renderBare(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>
    </MantineProvider>,
  )
}
