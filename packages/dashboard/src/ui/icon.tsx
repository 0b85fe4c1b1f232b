import type { ReactNode } from 'react'

interface IconProps {
  readonly children: ReactNode
}

/** Line art in the color of the text; what it means is said in words beside it. */
export function Icon({ children }: IconProps) {
  return (
    <svg
      width="20"
      height="20"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      {children}
    </svg>
  )
}
