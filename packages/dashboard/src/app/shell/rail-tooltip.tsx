import { Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

interface RailTooltipProps {
  readonly label: string
  readonly isRail: boolean
  readonly children: ReactNode
}

/** The name of what the narrow sidebar shows as an icon. */
export function RailTooltip({ label, isRail, children }: RailTooltipProps) {
  return (
    <Tooltip label={label} position="right" disabled={!isRail}>
      {children}
    </Tooltip>
  )
}
