import { createElement, type FunctionComponent, type SVGProps } from 'react'
import {
  AlertCircle,
  AlertTriangle,
  Archive,
  ArrowBackUp,
  ArrowDown,
  ArrowRight,
  ArrowUp,
  ArrowsLeftRight,
  ArrowsSort,
  ArrowsSplit2,
  BaselineDensityMedium,
  Bolt,
  Book2,
  Braces,
  Building,
  Calendar,
  ChartBar,
  Check,
  ChevronDown,
  ChevronLeft,
  ChevronRight,
  ChevronUp,
  CircleCheck,
  CircleDashed,
  CircleHalf2,
  ClipboardText,
  Clock,
  CloudOff,
  Columns3,
  Command,
  Copy,
  DeviceDesktop,
  DeviceLaptop,
  Dots,
  DotsVertical,
  Download,
  Edit,
  Equal,
  ExternalLink,
  Eye,
  EyeOff,
  FileText,
  Filter,
  Fingerprint,
  Folder,
  GitCompare,
  GripVertical,
  HandStop,
  Hash,
  History,
  Inbox,
  InfoCircle,
  Key,
  Keyboard,
  LayoutDashboard,
  LayoutSidebar,
  LetterT,
  Link,
  Lock,
  LockX,
  Logout,
  Logs,
  Mail,
  Menu2,
  Moon,
  Pencil,
  Plus,
  Refresh,
  Robot,
  RotateClockwise,
  Search,
  Selector,
  Send,
  Settings,
  ShieldLock,
  Stack2,
  Sun,
  Terminal2,
  ToggleLeft,
  Trash,
  Upload,
  User,
  UserCircle,
  UserPlus,
  Users,
  World,
  X,
} from '../../vendor/tabler-icons/paths.ts'

export interface IconProps extends Omit<SVGProps<SVGSVGElement>, 'stroke' | 'ref'> {
  /**
   * Size in CSS pixels.
   * @default 16
   */
  readonly size?: number
}

export type Icon = FunctionComponent<IconProps>

/**
 * Returns an icon in the color of the text. Words say what it means, so screen readers skip it. A table has hundreds of
 * icons, so each is one path and gets its stroke from the style sheet.
 */
function icon(d: string): Icon {
  const shape = createElement('path', { d })
  return ({ size = 16, className, ...props }) =>
    createElement(
      'svg',
      {
        viewBox: '0 0 24 24',
        // As large as the text beside it, also where the browser shows larger text.
        width: `${size / 16}rem`,
        height: `${size / 16}rem`,
        'aria-hidden': true,
        className: className === undefined ? 'icon' : ['icon', className].join(' '),
        ...props,
      },
      shape,
    )
}

// Things that people keep here
export const IconSecret = icon(Lock)
export const IconPlain = icon(Eye)
export const IconClient = icon(World)
export const IconRoll = icon(ArrowsSplit2)
export const IconProject = icon(Folder)
export const IconStage = icon(Stack2)
export const IconOrganization = icon(Building)
export const IconPerson = icon(User)
export const IconPeople = icon(Users)
export const IconRobot = icon(Robot)
export const IconToken = icon(Key)
export const IconSession = icon(Terminal2)
export const IconDevice = icon(DeviceLaptop)
export const IconPasskey = icon(Fingerprint)
export const IconUsage = icon(ChartBar)
export const IconAudit = icon(Logs)
export const IconHistory = icon(History)
export const IconOverview = icon(LayoutDashboard)
export const IconSettings = icon(Settings)
export const IconAccount = icon(UserCircle)
export const IconCalendar = icon(Calendar)
export const IconTime = icon(Clock)
export const IconEmail = icon(Mail)
export const IconDocument = icon(FileText)
export const IconDeclared = icon(ClipboardText)
export const IconDocumentation = icon(Book2)

// Types of values
export const IconText = icon(LetterT)
export const IconNumber = icon(Hash)
export const IconBoolean = icon(ToggleLeft)
export const IconJson = icon(Braces)

// States
export const IconSame = icon(Equal)
export const IconDifferent = icon(CircleHalf2)
export const IconMissing = icon(CircleDashed)
export const IconDraft = icon(Pencil)
export const IconProposed = icon(Inbox)
export const IconProtected = icon(ShieldLock)
export const IconProduction = icon(Bolt)
export const IconUnreadable = icon(LockX)
export const IconError = icon(AlertCircle)
export const IconWarning = icon(AlertTriangle)
export const IconInfo = icon(InfoCircle)
export const IconSuccess = icon(CircleCheck)
export const IconDone = icon(Check)
export const IconSelect = icon(Check)
export const IconOffline = icon(CloudOff)
export const IconEmpty = icon(Inbox)

// Actions
export const IconAdd = icon(Plus)
export const IconEdit = icon(Edit)
export const IconDelete = icon(Trash)
export const IconCopy = icon(Copy)
export const IconCopied = icon(Check)
export const IconReveal = icon(Eye)
export const IconHide = icon(EyeOff)
export const IconSearch = icon(Search)
export const IconFilter = icon(Filter)
export const IconSort = icon(ArrowsSort)
export const IconSortUp = icon(ArrowUp)
export const IconSortDown = icon(ArrowDown)
export const IconColumns = icon(Columns3)
export const IconDensity = icon(BaselineDensityMedium)
export const IconCompare = icon(GitCompare)
export const IconUndo = icon(ArrowBackUp)
export const IconRestore = icon(RotateClockwise)
export const IconStop = icon(HandStop)
export const IconArchive = icon(Archive)
export const IconDownload = icon(Download)
export const IconUpload = icon(Upload)
export const IconPaste = icon(ClipboardText)
export const IconInvite = icon(UserPlus)
export const IconSignOut = icon(Logout)
export const IconSend = icon(Send)
export const IconLink = icon(Link)
export const IconExternal = icon(ExternalLink)
export const IconRefresh = icon(Refresh)
export const IconSwitch = icon(ArrowsLeftRight)
export const IconCommand = icon(Command)
export const IconKeyboard = icon(Keyboard)
export const IconLight = icon(Sun)
export const IconDark = icon(Moon)
export const IconSystem = icon(DeviceDesktop)

// Places on the screen
export const IconClose = icon(X)
export const IconMenu = icon(Menu2)
export const IconMore = icon(Dots)
export const IconMoreVertical = icon(DotsVertical)
export const IconDown = icon(ChevronDown)
export const IconUp = icon(ChevronUp)
export const IconLeft = icon(ChevronLeft)
export const IconRight = icon(ChevronRight)
export const IconUpDown = icon(Selector)
export const IconSidebar = icon(LayoutSidebar)
export const IconArrow = icon(ArrowRight)
export const IconDrag = icon(GripVertical)
