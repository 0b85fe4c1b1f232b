import { useEffect, useRef, type ReactNode } from 'react'

interface FocusRegionProps {
  readonly children: ReactNode
}

/** What took the place of something that had the focus takes that, too. */
export function FocusRegion({ children }: FocusRegionProps) {
  const part = useRef<HTMLDivElement>(null)
  useEffect(() => part.current?.focus(), [])
  return (
    <div ref={part} tabIndex={-1} className="focused-part">
      {children}
    </div>
  )
}
