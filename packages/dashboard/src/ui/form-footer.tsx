import type { ReactNode } from 'react'
import classes from './form-footer.module.css'

interface FormFooterProps {
  /** Buttons, the primary one last. */
  readonly children: ReactNode
}

/** The buttons of a form. In a drawer they stay at its foot while the fields scroll. */
export function FormFooter({ children }: FormFooterProps) {
  return <div className={classes['footer']}>{children}</div>
}
