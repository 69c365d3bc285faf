// The page of polite tester without a server: what answers, and then the page, which asks at once.

import './answers.js';
import '../page/main.js';
