"""Looking at programs: what they need, who owns which registers, what a build says about itself."""
