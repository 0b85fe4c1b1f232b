import { Link } from '@tanstack/react-router'
import classes from './shell.module.css'

const pages = [
  { to: '/', label: 'Home' },
  { to: '/members', label: 'Members' },
  { to: '/account', label: 'Account' },
] as const

export function Navigation() {
  return (
    <nav aria-label="Main" className={classes['navigation']}>
      {pages.map(({ to, label }) => (
        <Link key={to} to={to} className={classes['link'] ?? ''} activeOptions={{ exact: true }}>
          {label}
        </Link>
      ))}
    </nav>
  )
}
